"""How bash completes ohara: as click does it, and filters, whose colon is a word of its own to bash.

The script gives the words to ohara as they were typed, and takes from the answers what stands before the last
colon, which bash would otherwise insert a second time. zsh and fish do well with click's own scripts.
"""

from __future__ import annotations

from click.shell_completion import BashComplete, add_completion_class

_SCRIPT = """\
%(complete_func)s() {
    local IFS=$'\\n' words=() word i response completion kind value current prefix
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if ((i > 1)) && [[ $word == :* || ${words[${#words[@]} - 1]} == *: ]]; then
            words[${#words[@]} - 1]+="$word"
        else
            words+=("$word")
        fi
    done
    current="${words[${#words[@]} - 1]}"
    current="${current#[\\"\\']}"

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) \\
        %(complete_var)s=bash_complete $1)

    prefix=""
    if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
        prefix="${current%%"${current##*:}"}"
    fi
    COMPREPLY=()
    for completion in $response; do
        kind="${completion%%%%,*}"
        value="${completion#*,}"
        if [[ $kind == dir ]]; then
            compopt -o dirnames
        elif [[ $kind == file ]]; then
            compopt -o default
        elif [[ $kind == plain ]]; then
            if [[ $value == *[:/] ]] && [[ $(type -t compopt) == builtin ]]; then
                compopt -o nospace 2>/dev/null
            fi
            COMPREPLY+=("${value#"$prefix"}")
        fi
    done
    return 0
}

%(complete_func)s_setup() {
    complete -o nosort -F %(complete_func)s %(prog_name)s
}

%(complete_func)s_setup;
"""


class OharaBashComplete(BashComplete):
    """Completion for bash that keeps filters together."""

    source_template = _SCRIPT


def register() -> None:
    """Have click answer bash by this class."""
    add_completion_class(OharaBashComplete, "bash")
