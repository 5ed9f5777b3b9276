# Which accelerator it is, what it hands back, and what is none.
# ruff: noqa: F821
import accelerate
import accelerate as speed
from accelerate import Accelerator as Fast
from accelerate.utils import extract_model_from_parallel
from torch import nn, optim

first = accelerate.Accelerator()  # first: accelerator
second = speed.Accelerator()  # second: accelerator
third = Fast()  # third: accelerator


class Own(Fast):
    pass


fourth = Own()  # fourth: accelerator
model = nn.Linear(2, 2)
one = first.prepare(model)  # one: prepared; by: first
two = second.prepare(nn.Linear(2, 2))  # by: second
either = first if flag else second
three = either.prepare(nn.Linear(2, 2))  # by: first | second
four = fourth.prepare(nn.Linear(2, 2))  # four: prepared; by: fourth


def build():
    return Fast()


fifth = build()  # fifth: accelerator
five = fifth.prepare(nn.Linear(2, 2))  # five: prepared


# By annotation.
def annotated(speedup: accelerate.Accelerator, net):  # speedup: accelerator
    return speedup.prepare(net)  # by: speedup


def maybe(speedup: "Fast | None", net):  # speedup: raw
    return speedup.prepare(net)


# By name, in a file that uses it as one.
def named(accelerator, net):  # accelerator: accelerator; net: raw
    net = accelerator.prepare(net)  # net: prepared; by: accelerator
    accelerator.backward(net(1))  # backward: accelerator; use call: prepared
    return net


class Holder:
    def run(self, net):
        net = self.accelerator.prepare(net)  # net: prepared; by: accelerator
        return net


# A parameter of another name, called with an accelerator.
def handed(speedup, net):  # speedup: accelerator
    return speedup.prepare(net)  # by: third


six = handed(third, nn.Linear(2, 2))  # six: prepared

# A name that stands for an accelerator too, and gets something else.
acc = accelerate.Accelerator()  # acc: accelerator
acc = score(model)  # acc: raw

# Somebody else's prepare.
kitchen = make_kitchen()
meal = kitchen.prepare(model)  # meal: raw; prepare: nothing

# Unwrapping gives the bare model back.
bare = first.unwrap_model(one)  # bare: unwrapped model; is bare: model
bare = first.unwrap_model(one, keep_fp32_wrapper=False)  # bare: unwrapped
bare = extract_model_from_parallel(one)  # bare: unwrapped
bare = one.module  # bare: unwrapped; is bare: model
same = bare.module  # same: unwrapped
one = first.prepare(bare)  # one: prepared; is one: model
gathered = first.gather(one(1))  # gathered: data
nobody = first.wait_for_everyone()  # nobody: nothing

# Parts of what is prepared are superseded and prepared with it.
net = make_net()
head = net.head  # head: raw
whole = first.prepare(net)  # whole: prepared; head: superseded
head = whole.head  # head: prepared

params = one.parameters()  # params: parameters
opt = optim.SGD(params)  # opt: raw optimizer; models opt: model
eval("1")  # gap: eval()
exec("model = 1")  # gap: exec()
setattr(kitchen, name, one)  # gap: setattr with a computed name


# By the name of the attribute that it is put into.
class Taking:
    def __init__(self, helper):
        self.accelerator = helper  # self.accelerator: accelerator

    def run(self, net):
        return self.accelerator.prepare(net)  # by: accelerator
