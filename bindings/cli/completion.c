/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.c - flux-ocs --completion: scripts for bash and zsh, made from the tables of subcommands and options.
 */
#include "cli.h"
#include <libflux/backend.h>
#include <libflux/compare.h>
#include <string.h>

/* Is the option's value a file's name? */
static int takes_file(const struct option_row *row)
{
    return row->value && strcmp(row->value, "FILE") == 0;
}

static void words_put(FILE *out, const char *bars)
{
    for (; *bars; bars++)
        putc(*bars == '|' ? ' ' : *bars, out);
}

static void backends_put(FILE *out)
{
    const struct flux_backend *backend;

    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++)
        fprintf(out, "%s%s", i ? " " : "", backend->name);
}

static void parameters_put(FILE *out)
{
    const struct flux_backend *backend;
    const struct flux_backend_parameter *parameter;
    int first = 1;

    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++) {
        for (uint32_t k = 0; backend->describe && (parameter = backend->describe(k)) != NULL; k++) {
            fprintf(out, "%s%s.%s=", first ? "" : " ", backend->name, parameter->key);
            first = 0;
        }
    }
}

static void schedulers_put(FILE *out)
{
    const char *gap = "";

    for (uint32_t number = 1; number <= flux_scheduler_count(); number++) {
        if (!*flux_scheduler_name(number))
            continue;
        fprintf(out, "%s%s", gap, flux_scheduler_name(number));
        gap = " ";
    }
}

/* The words that an option's value may be, with blanks between. 0 where there is no list. */
static int choices_put(FILE *out, const struct option_row *row)
{
    if (row->choices)
        words_put(out, row->choices);
    else if (strcmp(row->name, "--backend") == 0)
        backends_put(out);
    else if (strcmp(row->name, "--parameter") == 0)
        parameters_put(out);
    else if (strncmp(row->name, "--scheduler", 11) == 0)
        schedulers_put(out);
    else
        return 0;
    return 1;
}

static const char bash_head[] = "# bash completion for flux-ocs; made by flux-ocs --completion bash\n"
                                "_flux_ocs()\n"
                                "{\n"
                                "    local word=${COMP_WORDS[COMP_CWORD]} last= list= files= joint= at\n"
                                "    local command=${COMP_WORDS[1]}\n"
                                "    COMPREPLY=()\n"
                                "    [ \"$COMP_CWORD\" -gt 0 ] && last=${COMP_WORDS[COMP_CWORD-1]}\n"
                                "    # --name=value comes as three words\n"
                                "    if [ \"$word\" = = ]; then\n"
                                "        word= joint==\n"
                                "    elif [ \"$last\" = = ] && [ \"$COMP_CWORD\" -gt 1 ]; then\n"
                                "        last=${COMP_WORDS[COMP_CWORD-2]} joint==\n"
                                "    fi\n";

static const char bash_tail[] = "    case $word in\n"
                                "        *,*) at=${word%,*},; word=${word##*,} ;;\n"
                                "        *) at= ;;\n"
                                "    esac\n"
                                "    if [ -n \"$files\" ]; then\n"
                                "        compopt -o filenames 2>/dev/null\n"
                                "        mapfile -t COMPREPLY < <(compgen -f -- \"$at$word\")\n"
                                "    else\n"
                                "        mapfile -t COMPREPLY < <(compgen -P \"$at\" -W \"$list\" -- \"$word\")\n"
                                "        case ${COMPREPLY[*]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
                                "    fi\n"
                                "}\n"
                                "complete -F _flux_ocs flux-ocs\n";

/* An option whose value may be left out has one only behind "=". */
static void bash_optional(FILE *out, const struct command *const *commands, size_t count)
{
    struct option_row row;

    fprintf(out, "    case $joint$last in\n");
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; option_row(commands[c]->groups, i, &row); i++) {
            if (row.optional)
                fprintf(out, "        %s) last= ;;\n", row.name);
        }
    }
    fprintf(out, "    esac\n");
}

/* A case for each option with a value. */
static void bash_values(FILE *out, const struct command *command)
{
    struct option_row row;

    for (size_t i = 0; option_row(command->groups, i, &row); i++) {
        if (!row.value)
            continue;
        fprintf(out, "            %s/%s", command->name, row.name);
        if (row.letter)
            fprintf(out, "|%s/-%c", command->name, row.letter);
        if (takes_file(&row)) {
            fprintf(out, ") files=1 ;;\n");
        } else {
            fprintf(out, ") list='");
            choices_put(out, &row);
            fprintf(out, "' ;;\n");
        }
    }
}

static void bash_print(FILE *out, const struct command *const *commands, size_t count)
{
    struct option_row row;

    fputs(bash_head, out);
    bash_optional(out, commands, count);
    fprintf(out, "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        list='");
    for (size_t c = 0; c < count; c++)
        fprintf(out, "%s ", commands[c]->name);
    fprintf(out, "help --help --version --completion'\n    else\n        case $command/$last in\n"
                 "            --completion/*) list='bash zsh' ;;\n            help/*) list='");
    for (size_t c = 0; c < count; c++)
        fprintf(out, "%s%s", c ? " " : "", commands[c]->name);
    fprintf(out, "' ;;\n");
    for (size_t c = 0; c < count; c++)
        bash_values(out, commands[c]);
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "            %s/*)\n                case $word in\n                    -*) list='",
                commands[c]->name);
        for (size_t i = 0; option_row(commands[c]->groups, i, &row); i++)
            fprintf(out, "%s%s%s", i ? " " : "", row.name, row.optional ? "=" : "");
        fprintf(out, "' ;;\n                    *) files=%s ;;\n                esac ;;\n",
                commands[c]->operands_max ? "1" : "");
    }
    fprintf(out, "        esac\n    fi\n%s", bash_tail);
}

/* Text inside a zsh specification in single quotes. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            putc(*text, out);
    }
}

static void zsh_option(FILE *out, const struct option_row *row)
{
    if (row->letter)
        fprintf(out, "                '(-%c %s)'{-%c,%s}'", row->letter, row->name, row->letter, row->name);
    else
        fprintf(out, "                '%s%s", strcmp(row->name, "--parameter") == 0 ? "*" : "", row->name);
    if (row->value && !row->letter)
        fputs(row->optional ? "=-" : "=", out);
    putc('[', out);
    zsh_text(out, row->help);
    putc(']', out);
    if (row->value) {
        fputs(row->optional ? "::" : ":", out);
        zsh_text(out, row->value);
        putc(':', out);
        if (takes_file(row)) {
            fputs("_files", out);
        } else if (strncmp(row->name, "--scheduler", 11) == 0) {
            fputs("{_values -s , scheduler ", out);
            choices_put(out, row);
            putc('}', out);
        } else if (row->choices || strcmp(row->name, "--backend") == 0 || strcmp(row->name, "--parameter") == 0) {
            putc('(', out);
            choices_put(out, row);
            putc(')', out);
        }
    }
    fputs("' \\\n", out);
}

static void zsh_print(FILE *out, const struct command *const *commands, size_t count)
{
    struct option_row row;

    fprintf(out, "#compdef flux-ocs\n# zsh completion for flux-ocs; made by flux-ocs --completion zsh\n_flux_ocs()\n{\n"
                 "    local -a commands\n    commands=(\n");
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "        '%s:", commands[c]->name);
        zsh_text(out, commands[c]->summary);
        fprintf(out, "'\n");
    }
    fprintf(out, "        'help:the options of a subcommand'\n    )\n"
                 "    if (( CURRENT == 2 )); then\n"
                 "        _describe -t commands subcommand commands\n"
                 "        _arguments '--help[the subcommands]' '--version[the version]' "
                 "'--completion[a script for a shell]'\n"
                 "        return\n    fi\n"
                 "    local command=$words[2]\n"
                 "    shift words\n    (( CURRENT-- ))\n"
                 "    case $command in\n"
                 "        help) _describe -t commands subcommand commands ;;\n"
                 "        --completion) _values shell bash zsh ;;\n");
    for (size_t c = 0; c < count; c++) {
        fprintf(out, "        %s)\n            _arguments -s \\\n", commands[c]->name);
        for (size_t i = 0; option_row(commands[c]->groups, i, &row); i++)
            zsh_option(out, &row);
        fprintf(out, "                %s ;;\n", commands[c]->operands_max ? "'*:file:_files'" : "&& return");
    }
    fprintf(out, "    esac\n}\n_flux_ocs \"$@\"\n");
}

int completion_print(FILE *out, const char *shell, const struct command *const *commands, size_t count)
{
    if (shell && strcmp(shell, "bash") == 0)
        bash_print(out, commands, count);
    else if (shell && strcmp(shell, "zsh") == 0)
        zsh_print(out, commands, count);
    else
        return report_usage(NULL, "--completion is for bash or zsh%s%s%s", shell ? ", not '" : "", shell ? shell : "",
                            shell ? "'" : "");
    return output_finish(0);
}
