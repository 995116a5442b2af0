"""The settings that a public server relies on: each is stated in the project's file, with its reason."""

import tomllib
from pathlib import Path

from streamlit import config

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / ".streamlit" / "config.toml"
NEEDED = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "minimal",
    "runner.magicEnabled": False,
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.fileWatcherType": "none",
}
# The largest value that is right, in MB.
BOUNDED = {"server.maxUploadSize": 50, "server.maxMessageSize": 64}


def settings():
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {f"{part}.{name}": value for part, values in table.items() for name, value in values.items()}


def test_the_values_are_the_safe_ones():
    stated = settings()
    assert {*NEEDED, *BOUNDED} <= set(config.get_config_options())
    assert {name: stated[name] for name in NEEDED} == NEEDED
    for name, most in BOUNDED.items():
        assert 0 < stated[name] <= most


def test_what_the_upload_box_lets_through_the_reader_bounds_as_well():
    from nysviz.datasets.upload.limits import MAX_BYTES

    # The box counts in units of 2^20, the reader in millions: what lies between is refused in a sentence.
    assert settings()["server.maxUploadSize"] * 1_000_000 == MAX_BYTES


def test_no_address_is_opened_to_others_and_no_other_site_is_trusted():
    stated = settings()
    assert "server.address" not in stated and "server.corsAllowedOrigins" not in stated
    assert not any("cookieSecret" in name or "password" in name.lower() for name in stated)
