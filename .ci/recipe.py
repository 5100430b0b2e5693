"""Build the conda recipe and run its tests, with a channel made of what pip installed: recipe.py ENVIRONMENT CHANNEL.

Each installed package becomes a conda package. That of Python consists of links to the environment's interpreter.
"""

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

import rattler_build
from rattler_build.progress import SimpleProgressCallback

environment, channel = (Path(folder).resolve() for folder in sys.argv[1:])
(site,) = environment.glob("lib/python*/site-packages")


def conda_name(requirement: str) -> str:
    """Return the name that conda-forge gives to a package of PyPI."""
    name = re.sub(r"[-_.]+", "-", re.findall(r"[\w.-]+", requirement)[0]).lower()
    return "matplotlib-base" if name == "matplotlib" else name


def pack(name: str, version: str, noarch: str, **content: object) -> None:
    """Write one conda package into the channel."""
    rattler_build.assemble_package(
        name,
        version,
        "noarch",
        "0",
        channel / "noarch",
        noarch=noarch,
        compression_level=1,
        **content,
    )


python = channel / "python"
(python / "bin").mkdir(parents=True)
settings = (environment / "pyvenv.cfg").read_text(encoding="utf-8")
(python / "pyvenv.cfg").write_text(settings, encoding="utf-8")
for link in ("python", site.parent.name):
    (python / "bin" / link).symlink_to((environment / "bin" / "python").resolve())
(python / "bin" / "pip").write_text(
    '#!/bin/sh\nexec "${0%/*}/python" -m pip "$@"\n', encoding="utf-8"
)
(python / "bin" / "pip").chmod(0o755)
pack("python", re.findall(r"^version = (.*)", settings, re.M)[0], "generic", files_dir=python)

installed = {conda_name(one.name): one for one in distributions(path=[str(site)])}
del installed["socialstats"]  # the recipe builds it
for name, one in installed.items():
    files = [file for file in one.files or [] if not {"..", "__pycache__"} & set(file.parts)]
    pack(
        name,
        one.version,
        "python",
        files=[
            rattler_build.FileEntry.from_paths(file.locate(), f"site-packages/{file}")
            for file in files
        ],
        depends=[
            "python",
            *{conda_name(needed) for needed in one.requires or []} & installed.keys(),
        ],
    )

(built,) = rattler_build.Stage0Recipe.from_file("conda/recipe.yaml").run_build(
    tool_config=rattler_build.ToolConfiguration(test_strategy="native"),
    output_dir=channel,  # a channel too
    channels=[channel.as_uri()],
    progress_callback=SimpleProgressCallback(),
)
print(
    f"conda recipe built and tested with {len(installed)} packages of pip: {built.packages[0].name}"
)
