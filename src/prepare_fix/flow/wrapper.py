"""What ``DistributedDataParallel`` shows of the model inside it, and what models have that it does not show.

prepare wraps a model in it on several processes and gives the bare model back on one, so a name that only the model has
fails in the first case, and one that only the wrapper has in the second.
"""

from __future__ import annotations

# dir() of a Module and of a DistributedDataParallel around one, without leading underscores, and what the source of the
# wrapper assigns to itself (torch 2.13 and 2.14, torch/nn/modules/module.py, torch/nn/parallel/distributed.py).
_OF_MODULES = frozenset(
    "T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches "
    "eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules "
    "mtia "
    "named_buffers named_children named_modules named_parameters parameters register_backward_hook register_buffer "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook "
    "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter "
    "register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule "
    "share_memory "
    "state_dict to to_empty train training type xpu zero_grad".split()
)
_OF_WRAPPERS = frozenset(
    "broadcast_bucket_size broadcast_buffers bucket_bytes_cap bucket_bytes_cap_default bucket_bytes_cap_list "
    "buffer_hook "
    "device device_ids device_mesh device_type dim find_unused_parameters forward_sync_buffers gather "
    "gradient_as_bucket_view is_multi_device_module join join_device join_hook join_process_group logger "
    "mixed_precision "
    "module modules_buffers named_module_buffers no_sync output_device parameters_to_ignore process_group reducer "
    "register_comm_hook require_backward_grad_sync require_forward_param_sync scatter static_graph to_kwargs "
    "use_side_stream_for_tensor_copies will_sync_module_buffers".split()
)
# What optimizers, schedulers and loaders are asked for; a matter of speed only.
_OF_OTHERS = frozenset("step param_groups get_last_lr add_param_group dataset sampler batch_size set_epoch".split())

VISIBLE = _OF_MODULES | _OF_WRAPPERS
"""The names that a wrapped model has."""
SHARED = (VISIBLE | _OF_OTHERS) - {"module", "state_dict"}
"""The names that mean the same on a prepared object as on a raw one."""

OF_ENGINES = frozenset("backward load_checkpoint save_checkpoint".split())
"""What only the engines have that stand in for a model under DeepSpeed and Megatron-LM (accelerate 1.15,
``accelerator.py``, ``save_state`` and ``load_state``; ``utils/deepspeed.py``): who asks for it has one of them."""

DATA_OF_LIBRARY_MODELS = frozenset(
    # transformers 5, PreTrainedModel, GenerationMixin, PushToHubMixin
    "config generation_config dtype save_pretrained push_to_hub generate can_generate num_parameters "
    "get_memory_footprint resize_token_embeddings tie_weights gradient_checkpointing_enable "
    "gradient_checkpointing_disable enable_input_require_grads name_or_path "
    # diffusers 0.3x, ModelMixin, ConfigMixin, PeftAdapterMixin, AttentionMixin
    "save_config enable_gradient_checkpointing disable_gradient_checkpointing "
    "enable_xformers_memory_efficient_attention disable_xformers_memory_efficient_attention attn_processors "
    "set_attn_processor set_default_attn_processor add_adapter set_adapter delete_adapters "
    # peft 0.17, PeftModel
    "peft_config active_adapter print_trainable_parameters get_nb_trainable_parameters merge_and_unload "
    "merge_adapter unmerge_adapter load_adapter".split()
)
"""Names of library models that no module and no wrapper has, and whose value is data or an effect, without gradient."""
PARTS_OF_LIBRARY_MODELS = frozenset(
    # transformers 5, PreTrainedModel; peft 0.17, PeftModel
    "get_input_embeddings get_output_embeddings set_input_embeddings base_model disable_adapter".split()
)
"""Names of library models that no module and no wrapper has, and which give parts that may compute the loss."""
