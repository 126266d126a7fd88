"""Variants of evals: a harness setup by its name, as a plugin describes it. A harness does as it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from plugseal.errors import UsageError
from plugseal.runtime.amness.loaded import Loaded, Plugins, failure
from plugseal.runtime.amness.texts import Made

GUARDS: Final = frozenset("nudge loop compact stuck wrapup condense schedule ledger stagnation".split())
"""Names of guards that a variant may switch off."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One setup."""

    plugin: Loaded
    """That defines it, and is always active in it."""
    name: str
    off: tuple[str, ...]
    max_steps: int | None
    verify: bool
    review: bool
    plugins: tuple[str, ...]
    """Names of all plugins that are active in it."""
    builds: bool
    """Whether it makes a setup of its own out of a model; then the other fields are not used."""
    warnings: tuple[str, ...]

    def plain(self) -> dict[str, object]:
        """Return it as a harness gets it."""
        return {
            "name": f"{self.plugin.name}:{self.name}",
            "off": list(self.off),
            "maxSteps": self.max_steps,
            "verify": self.verify,
            "review": self.review,
            "plugins": list(self.plugins),
            "builds": self.builds,
            "warnings": list(self.warnings),
        }


def find_variants(plugins: Plugins) -> list[Variant]:
    """Return the variants of all plugins."""
    return [
        _variant(plugin, name, data, plugins)
        for plugin in plugins
        for name, data in sorted(plugin.description.variants.items())
        if isinstance(data, dict)
    ]


def find_variant(plugins: Plugins, name: str) -> Variant:
    """Return a variant by `name`, or by `plugin:name`.

    Raises:
        UsageError: there is none, or more than one.
    """
    known = find_variants(plugins)
    fits = [one for one in known if name in (one.name, f"{one.plugin.name}:{one.name}")]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(f"{one.plugin.name}:{one.name}" for one in fits or known) or "none"
    what = f"{len(fits)} variants are called" if fits else "there is no variant"
    raise UsageError(f"{what} `{name[:80]}`", hint=f"there are: {names}")


def build_variant_system(variant: Variant, base: str, *, cwd: str) -> Made:
    """Return the system prompt of a variant; the one that was there where its function fails or gives no text.

    Raises:
        RefusedError: its plugin's permission was taken.
    """
    plugin = variant.plugin
    if plugin.description.variants[variant.name].get("system") != "function":
        return Made(base)
    params = {"name": variant.name, "base": base, "ctx": {"cwd": cwd}}
    answer = plugin.process.call("variantSystem", params)
    if answer.failed:
        return Made(base, (failure(plugin, f"the `system` of its variant `{variant.name}`", answer),))
    if isinstance(answer.value, str):
        return Made(answer.value)
    return Made(base, (f"plugin {plugin.name}: the `system` of its variant `{variant.name}` returned no text",))


def _variant(plugin: Loaded, name: str, data: dict[str, Any], plugins: Plugins) -> Variant:
    named, off = _texts(data.get("plugins")), _texts(data.get("off"))
    loaded = [one.name for one in plugins]
    warnings = [f"`{guard}` is no guard" for guard in off if guard not in GUARDS]
    warnings += [f"the plugin `{one}` is not loaded" for one in named if one not in loaded]
    steps = data.get("maxSteps")
    return Variant(
        plugin=plugin,
        name=name,
        off=tuple(guard for guard in off if guard in GUARDS),
        max_steps=int(steps) if isinstance(steps, int | float) and not isinstance(steps, bool) and steps > 0 else None,
        verify=data.get("verify") is not False,
        review=data.get("review") is True,
        plugins=tuple(one for one in loaded if one == plugin.name or one in named),
        builds=data.get("build") == "function",
        warnings=tuple(warnings),
    )


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
