"""Pages on the web, from every form a remote's address takes, and never with a password in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohara.forge import Forge, Kind, forge_of

SHA = "3f" * 20


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/me/net.git",
        "https://github.com/me/net/",
        "https://me:token@github.com/me/net.git",
        "git@github.com:me/net.git",
        "github.com:me/net",
        "ssh://git@github.com:22/me/net.git",
        "git://github.com/me/net.git",
        "git+ssh://git@GitHub.com/me/net",
    ],
)
def test_every_form_of_address_leads_to_the_same_page(remote: str) -> None:
    assert forge_of(remote) == Forge(Kind.GITHUB, "https://github.com/me/net")


@pytest.mark.parametrize(
    ("remote", "commit", "file"),
    [
        (
            "git@github.com:me/net.git",
            f"https://github.com/me/net/commit/{SHA}",
            f"https://github.com/me/net/blob/{SHA}/a%20b/%23.py#L7",
        ),
        (
            "https://gitlab.example.org:8443/group/sub/net.git",
            f"https://gitlab.example.org:8443/group/sub/net/-/commit/{SHA}",
            f"https://gitlab.example.org:8443/group/sub/net/-/blob/{SHA}/a%20b/%23.py#L7",
        ),
        (
            "https://codeberg.org/me/net",
            f"https://codeberg.org/me/net/commit/{SHA}",
            f"https://codeberg.org/me/net/src/commit/{SHA}/a%20b/%23.py#L7",
        ),
        (
            "git@bitbucket.org:me/net.git",
            f"https://bitbucket.org/me/net/commits/{SHA}",
            f"https://bitbucket.org/me/net/src/{SHA}/a%20b/%23.py#lines-7",
        ),
        (
            "http://git.example.org/me/net",
            f"http://git.example.org/me/net/commit/{SHA}",
            f"http://git.example.org/me/net/blob/{SHA}/a%20b/%23.py#L7",
        ),
    ],
)
def test_each_forge_writes_its_addresses_its_own_way(remote: str, commit: str, file: str) -> None:
    forge = forge_of(remote)
    assert forge is not None
    assert (forge.commit(SHA), forge.file(SHA, "a b/#.py", 7)) == (commit, file)


@pytest.mark.parametrize(
    "remote",
    [None, "", "/srv/git/net.git", "../net", "file:///srv/net.git", "C:\\src\\net", "https://", "ssh://host",
     "https://github.com", "git@github.com:", "https://exa mple/x", "https://host:99999999/x"],
)  # fmt: skip
def test_what_is_not_on_a_host_has_no_page(remote: str | None) -> None:
    assert forge_of(remote) is None


@given(st.text(max_size=40), st.text(max_size=20))
def test_whatever_a_remote_says_the_page_is_a_plain_web_address(remote: str, path: str) -> None:
    for given_remote in (
        remote,
        f"https://{remote}/a/b",
        f"git@{remote}:a/b",
        f"https://u:secret@host/{remote}",
    ):
        forge = forge_of(given_remote)
        if forge is not None:
            page = forge.file(SHA, path, 1)
            assert page.startswith(("https://", "http://"))
            assert page.isascii()
            assert page.isprintable()
            assert " " not in page
            assert "secret" not in page


def test_a_name_that_is_no_commits_is_refused() -> None:
    with pytest.raises(ValueError, match="not a commit's name"):
        Forge(Kind.GITHUB, "https://github.com/me/net").commit("HEAD;rm")
