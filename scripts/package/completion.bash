# shellcheck shell=bash disable=SC2034,SC2154
# Completion of clmove for bash. Above it stands the function _clmove_table, which the command writes from its own tables. Its
# arguments are a command and the word before the present one. It sets three variables: from, the words or the one pattern of
# file names to complete from; arguments, the same for words that are no options; and commands.
_clmove() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} from='' arguments='' commands=''
    if [[ $before == = ]]; then # bash makes three words of --mode=x
        before=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == = ]]; then
        current=''
    fi
    _clmove_table "${COMP_WORDS[1]}" "$before"
    if ((COMP_CWORD == 1)); then
        from="$commands --help --version"
    elif [[ ${COMP_WORDS[1]} == help ]]; then
        from=$commands
    elif [[ $current != -* && $arguments && ($arguments == \** || $COMP_CWORD == 2) ]]; then
        from=$arguments
    fi
    if [[ $from == \** ]]; then
        compopt -o filenames 2>/dev/null # it is an error where bash did not call this
        mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X "!$from" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$from" -- "$current")
    fi
}
complete -F _clmove clmove
