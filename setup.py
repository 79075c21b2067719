"""Builds fourfold from its top-level folders; everything else about the package is in pyproject.toml.

The folders ``engine kernels embeddings experiments conf`` are reached through the symbolic links in
``src/fourfold``, so that they install under the one import name ``fourfold``.
"""

from setuptools import find_packages, setup

setup(package_dir={"": "src"}, packages=find_packages("src"))
