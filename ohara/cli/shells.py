"""How bash and zsh complete ohara: as click does it, with filters, which click's scripts do not expect.

To bash, the colon of a filter is a word of its own: its script gives the words to ohara as they were typed,
and takes from the answers what stands before the last colon, which bash would insert a second time. zsh is
told to match by itself and in any case: click's script has it replace what was typed by what the answers have
in common, which is less where they differ in case. fish does well with click's own script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import BashComplete, ZshComplete, add_completion_class

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

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


_ZSH_SCRIPT = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a response ended ended_shown open open_shown
    local kind value help
    (( ! $+commands[%(prog_name)s] )) && return 1

    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
        %(complete_var)s=zsh_complete %(prog_name)s)}")

    for kind value help in ${response}; do
        if [[ $kind == plain ]]; then
            [[ $help == _ ]] && help=$value || help="$value  -- $help"
            if [[ $value == *[:/] ]]; then
                open+=("$value") open_shown+=("$help")
            else
                ended+=("$value") ended_shown+=("$help")
            fi
        elif [[ $kind == dir ]]; then
            _path_files -/
        elif [[ $kind == file ]]; then
            _path_files -f
        fi
    done

    local matcher='m:{[:lower:][:upper:]}={[:upper:][:lower:]} l:|=* r:|=*'
    (( $#open )) && compadd -M $matcher -V unsorted -l -S '' -d open_shown -a open
    (( $#ended )) && compadd -M $matcher -V unsorted -l -d ended_shown -a ended
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


class OharaBashComplete(BashComplete):
    """Completion for bash that keeps filters together."""

    source_template = _SCRIPT


class OharaZshComplete(ZshComplete):
    """Completion for zsh that leaves the matching to zsh."""

    source_template = _ZSH_SCRIPT

    def format_completion(self, item: CompletionItem) -> str:
        """A choice in three lines, as it is to be inserted."""
        return f"{item.type}\n{item.value}\n{item.help or '_'}"


def register() -> None:
    """Have click answer bash and zsh by these classes."""
    add_completion_class(OharaBashComplete, "bash")
    add_completion_class(OharaZshComplete, "zsh")
