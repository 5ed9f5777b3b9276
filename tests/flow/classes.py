# Attributes of self, base classes, dataclasses and properties.
# ruff: noqa: B009, B010, F821
from copy import deepcopy
from dataclasses import dataclass, field

from accelerate import Accelerator
from torch import nn, optim
from torch.nn.modules import Module
from torch.utils.data import DataLoader
from transformers import PreTrainedModel


class Trainer:
    width = 2

    def __init__(self, model, optimizer):  # model: raw model; optimizer: raw optimizer
        self.accelerator = Accelerator()  # self.accelerator: accelerator
        self.model = model  # self.model: raw model
        self.optimizer = optimizer
        self.setup()  # self.model: prepared; self.optimizer: prepared; model: superseded
        self.loader = self._loader()  # self.loader: prepared DataLoader

    def setup(self):
        self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)  # prepare: unpacked

    def _loader(self):
        return self.accelerator.prepare(DataLoader([]))

    def train(self):  # self.model: prepared; self.optimizer: prepared optimizer; self.loader: prepared
        for batch in self.loader:  # use iterate: prepared DataLoader; trains: DataLoader
            loss = self.model(batch)  # use call: prepared model; trains: model
            self.accelerator.backward(loss)
            self.optimizer.step()  # use step: prepared optimizer; stale: nothing

    @property
    def net(self):
        return self.model

    @property
    def bare(self):
        return self.accelerator.unwrap_model(self.model)


model, optimizer = nn.Linear(2, 2), optim.SGD([])
trainer = Trainer(model, optimizer)  # trainer: instance; trainer.model: prepared model; model: superseded
trainer.train()
other = trainer
other.model = None  # trainer.model: nothing
trainer.model = model  # other.model: superseded
net = trainer.net  # net: superseded
bare = trainer.bare  # bare: unwrapped
run = trainer.setup  # run: method
run()  # trainer.model: prepared


# The methods that nobody calls see what __init__ leaves.
class Uncalled:
    def __init__(self, net):  # net: raw
        self.accelerator = Accelerator()
        self.net = net
        self.first = net

    def prepare_all(self):
        self.net = self.accelerator.prepare(self.net)  # self.net: prepared; self.first: superseded

    def fit(self):  # self.net: raw | prepared; self.first: raw | superseded
        self.accelerator.backward(self.net(1))


# Bases of the file.
class Base:
    kind = nn.Linear(2, 2)

    def __init__(self, net):
        self.accelerator = Accelerator()
        self.net = self.wrap(net)  # self.net: prepared

    def wrap(self, net):  # net: raw
        return None

    def go(self):  # self.net: prepared
        return self.net


class Child(Base):
    def __init__(self, net):
        super().__init__(net)
        self.again = self.go()  # self.again: prepared

    def wrap(self, net):  # net: raw model
        return self.accelerator.prepare(net)


class GrandChild(Child):
    def go(self):
        return super().go()


child = Child(nn.Linear(2, 2))  # child.net: prepared; child.again: prepared
grand = GrandChild(nn.Linear(2, 2))  # grand.net: prepared; grand.again: prepared
kind = grand.kind  # kind: raw model
grand.kind = None  # grand.kind: nothing
kind = child.kind  # kind: raw model


# An attribute of a class, of one instance among two.
class Pair:
    pass


one, two = Pair(), Pair()
one.net, two.net = nn.Linear(2, 2), nn.Linear(2, 2)
one.net = child.accelerator.prepare(one.net)  # one.net: prepared; two.net: raw
either = one if flag else two
either.net = None  # one.net: prepared; two.net: raw
setattr(one, "net", two.net)  # one.net: raw
got = getattr(one, "net")  # got: raw


@dataclass
class Parts:
    net: nn.Module
    opt: object = None
    names: list = field(default_factory=list)

    def prepared(self, accelerator):
        self.net, self.opt = accelerator.prepare(self.net, self.opt)  # self.net: prepared; self.opt: prepared
        return self


parts = Parts(nn.Linear(2, 2), opt=optim.SGD([]))  # parts.net: raw model; parts.opt: raw optimizer
parts = parts.prepared(child.accelerator)  # parts.net: prepared; parts.opt: prepared


@dataclass
class Later:
    net: nn.Module

    def __post_init__(self):
        self.net = child.accelerator.prepare(self.net)  # self.net: prepared


later = Later(nn.Linear(2, 2))  # later.net: prepared


# A callable object, and a class that hands itself on.
class Runner:
    def __call__(self, net):
        return child.accelerator.prepare(net)


kept = Runner()(nn.Linear(2, 2))  # kept: prepared


# Dict of parts kept in self.
class Keeper:
    def __init__(self):
        self.parts = {"net": nn.Linear(2, 2)}  # self.parts["net"]: raw model
        self.parts["net"] = child.accelerator.prepare(self.parts["net"])  # self.parts["net"]: prepared

    def use(self):  # self.parts["net"]: prepared
        return child.accelerator.unwrap_model(self.parts["net"])


# The module's own model classes have roles.
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


class Other(Module):
    pass


net = Other()  # net: raw model
net = Net()  # net: raw model
net = child.accelerator.prepare(net)  # net: prepared model
layer = net.layer  # layer: prepared


# Bases called by name, and attributes that a method gives the class.
class Named(Base):
    net_of_class = nn.Linear(2, 2)

    def __init__(self, net):
        Base.__init__(self, net)  # self.net: prepared

    def wrap(self, net):
        return self.accelerator.prepare(net)

    def go(self):
        Named.net_of_class = self.accelerator.prepare(Named.net_of_class)
        return self.net_of_class


named = Named(nn.Linear(2, 2))
kept = named.go()  # kept: prepared


# A property that can be set is read like any other.
class Settable:
    def __init__(self, net):
        self._net = child.accelerator.prepare(net)

    @property
    def net(self):
        return self._net

    @net.setter
    def net(self, value):
        self._net = value


settable = Settable(nn.Linear(2, 2))
kept = settable.net  # kept: prepared


# The fields of a dataclass begin with those of its bases.
@dataclass
class MoreParts(Later):
    opt: object


more = MoreParts(nn.Linear(2, 2), optim.SGD([]))  # more.opt: raw optimizer [dataclass-base]
del more.opt  # more.opt: unbound


class FromAnotherLibrary(PreTrainedModel):
    pass


of_another_library = FromAnotherLibrary()  # of_another_library: raw model


# Each call of a method of the base makes objects of its own.
class Maker:
    def make(self):
        return nn.Linear(2, 2)


class TwoMaker(Maker):
    def make_two(self):
        self.one, self.two = super().make(), super().make()
        self.one = child.accelerator.prepare(self.one)  # self.one: prepared; self.two: raw


TwoMaker().make_two()

# A function of the file that is put into an object is called like one.
bundle = load()
bundle.wrap = lambda net: child.accelerator.prepare(net)
kept = bundle.wrap(nn.Linear(2, 2))  # kept: prepared model

# What is called like the object, or the copy, that it comes from.
row = [one(1), deepcopy(nn.Linear(2, 2))]  # is row[0]: one; is row[1]: Linear


# A method that the others call sees what they hand it.
class Ordered:
    def called_by_the_other(self, net):  # net: prepared
        return net

    def calls_the_other(self):
        return self.called_by_the_other(child.accelerator.prepare(nn.Linear(2, 2)))


# Each call of a bound method makes objects of its own.
make = Maker().make
one, two = make(), make()
one = child.accelerator.prepare(one)  # one: prepared; two: raw


# An instance of one class or the other.
class WithNet:
    part = nn.Linear(2, 2)


class WithOpt:
    part = optim.SGD([])


either = (WithNet if flag else WithOpt)()
part = either.part  # part: raw model | raw optimizer


# Both ways out of a method bind the attribute.
class Choosing:
    def __init__(self):
        self.part = DataLoader([])

    def choose(self, which):
        if which:
            self.part = nn.Linear(2, 2)
            return
        else:
            self.part = optim.SGD([])
            return


choosing = Choosing()
choosing.choose(flag)  # choosing.part: raw model | raw optimizer
