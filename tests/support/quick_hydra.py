"""Hydra that reads and merges its files once for each choice of them, in place of at every composition.

Tests compose hundreds of configurations, most of which differ in single settings alone. Those are applied by
Hydra itself each time, to a copy; so are all words parsed and all mistakes found.
"""

from __future__ import annotations

import copy
from typing import Any


def remember_files() -> None:
    """Make Hydra so, in this process."""
    from hydra._internal import config_loader_impl as loading
    from hydra._internal.defaults_list import DefaultsList, Overrides
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    make_list = loading.create_defaults_list
    make_config = loading.ConfigLoaderImpl._compose_config_from_defaults_list
    lists: dict[Any, DefaultsList] = {}
    configs: dict[int, Any] = {}

    def create_defaults_list(repo, config_name, overrides_list, prepend_hydra, skip_missing):
        # Settings, that is; the words that make a sweep are in neither list.
        settings = Overrides(repo=repo, overrides_list=overrides_list).config_overrides
        groups = [word for word in overrides_list if word not in settings and not word.is_sweep_override()]
        sources = tuple((source.provider, source.path) for source in repo.get_sources())
        chosen = tuple(word.input_line for word in groups)
        schema = ConfigStore.instance().repo.get("schema", {}).get(f"{config_name}.yaml")
        kind = schema and OmegaConf.get_type(schema.node)  # several commands have a file in common
        key = (sources, config_name, kind, chosen, prepend_hydra, skip_missing)
        if key not in lists:
            lists[key] = make_list(repo, config_name, groups, prepend_hydra, skip_missing)
        made = lists[key]
        return DefaultsList(made.defaults, made.defaults_tree, settings, made.overrides)

    def compose(self, defaults, repo):
        key = id(defaults)  # of a list above, which is never dropped
        if key not in configs:
            configs[key] = make_config(self, defaults, repo)
        return copy.deepcopy(configs[key])

    class Repository(loading.CachingConfigRepository):
        def __init__(self, delegate):
            # Not a copy, as none of our files adds to the search path.
            self.delegate, self.cache = delegate, {}

    loading.CachingConfigRepository = Repository
    loading.create_defaults_list = create_defaults_list
    loading.ConfigLoaderImpl._compose_config_from_defaults_list = compose
