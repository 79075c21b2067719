"""The package as a whole: its public names, and what importing it costs."""

import subprocess
import sys

import pytest

import fourfold
import fourfold.embeddings
import fourfold.engine


@pytest.mark.parametrize("module", [fourfold, fourfold.embeddings, fourfold.engine])
def test_public_names_exist_and_are_listed(module):
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


def test_importing_loads_nothing_heavy():
    code = (
        "import sys, fourfold.engine, fourfold.experiments, fourfold.embeddings\n"
        "heavy = {'numba', 'torch', 'transformers', 'sklearn', 'scipy', 'hydra', 'rich', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_the_folders_are_not_packages_of_their_own():
    assert not {"engine", "kernels", "embeddings", "experiments", "conf"} & set(sys.modules)
