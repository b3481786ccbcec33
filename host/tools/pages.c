/* The man pages of the command and the completion of its command line, made of its tables when it is built.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/message.h"

#include <clmove/clmove.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- man pages ---- */

/* Text as troff wants it: hyphens to type, and no line that begins with what troff takes for a request. Between paragraphs stands
 * what the caller says. */
static void print_text(const char *text, const char *between) {
    static const char special[] = "-\\'^~`";
    static const char *const escapes[] = {"\\-", "\\e", "\\(aq", "\\(ha", "\\(ti", "\\(ga"};
    for (char last = '\n'; *text; last = *text++) {
        const char *found = strchr(special, *text);
        if (*text == '\n')
            printf("%s", between);
        else if (found)
            printf("%s", escapes[found - special]);
        else
            printf("%s%c", last == '\n' && *text == '.' ? "\\&" : "", *text);
    }
}

/* Text between requests. */
static void put(const char *before, const char *text, const char *after) {
    printf("%s", before);
    print_text(text, "\n.PP\n");
    printf("%s", after);
}

static void print_options(const command *self) {
    const option_row *rows[MOST_OPTIONS];
    for (size_t i = 0, count = command_options(self, false, rows); i < count; i++) {
        if (!rows[i]->help)
            continue;
        put(rows[i]->id == OPTION_HELP ? ".TP\n\\fB\\-h\\fR, \\fB\\-\\-" : ".TP\n\\fB\\-\\-", rows[i]->name, "\\fR");
        if (rows[i]->argument)
            put(" \\fI", rows[i]->argument, "\\fR");
        put("\n", rows[i]->help, "\n");
    }
}

static void print_page(const command *self, const command *clmove) {
    const char *joint = *self->name ? "-" : "";
    char others[OTHERS_TEXT], name[64];
    snprintf(name, sizeof name, "clmove%s%s", joint, self->name);
    put(".TH \"", name, "\" 1 \"\" \"clmove ");
    put("", clmove_version(), "\" \"User Commands\"\n.ad l\n.nh\n");
    put(".SH NAME\n", name, "");
    put(" \\- ", self->summary, "\n.SH SYNOPSIS\n");
    for (int i = 0; i < 2 && self->synopsis[i]; i++) {
        put(i == 0 ? ".B clmove " : ".br\n.B clmove ", self->name, "");
        put("\n", self->synopsis[i], "\n");
    }
    put(".SH DESCRIPTION\n", self->about, "\n");
    if (*command_others(self, others))
        put(".PP\n", others, "\n");
    for (const command *const *one = self->commands; one && *one; one++) {
        put(".TP\n.B ", (*one)->name, "");
        put("\n", (*one)->summary, "\n");
    }
    printf(".SH OPTIONS\n");
    print_options(self);
    if (self->notes && self != clmove)
        put(".SH NOTES\n", self->notes, "\n");
    printf(".SH EXAMPLES\n.nf\n");
    print_text(self->examples, "\n");
    put(".fi\n.SH \"EXIT STATUS\"\n", clmove->notes, "\n.SH \"SEE ALSO\"\n.BR clmove");
    for (const command *const *one = self->commands; one && *one; one++)
        if ((*one)->about)
            put(one == self->commands ? "\\-" : " (1),\n.BR clmove\\-", (*one)->name, "");
    printf(" (1)\n");
}

/* ---- completion ---- */

static void print_from(const char *variable, const char *const *words) {
    printf(" %s='", variable);
    for (size_t i = 0; words && words[i]; i++)
        printf("%s%s", i > 0 ? " " : "", words[i]);
    printf("'");
}

static void print_completion(const command *self) {
    const option_row *rows[MOST_OPTIONS];
    const size_t count = command_options(self, self->others_help != NULL, rows);
    for (size_t i = 0; i < count; i++) {
        if (!rows[i]->help || !rows[i]->argument)
            continue;
        printf("    '%s --%s')", self->name, rows[i]->name);
        print_from("from", rows[i]->values);
        printf(" ;;\n");
    }
    printf("    '%s '*)", self->name);
    print_from("arguments", self->arguments);
    printf(" from='");
    for (size_t i = 0; i < count; i++)
        if (rows[i]->help)
            printf("--%s%s", rows[i]->name, i + 1 < count ? " " : "' ;;\n");
}

/* The table that scripts/package/completion.bash goes by. */
static void print_table(const command *clmove) {
    printf("# Of clmove %s.\n_clmove_table() {\n    commands='", clmove_version());
    for (const command *const *one = clmove->commands; *one; one++)
        printf("%s%s", (*one)->name, one[1] ? " " : "'\n    case \"$1 $2\" in\n");
    for (const command *const *one = clmove->commands; *one; one++)
        if ((*one)->about)
            print_completion(*one);
    printf("    esac\n}\n");
}

/* ---- files ---- */

/* Standard output leads to a file of the folder from here on. */
static bool begin(const char *folder, const char *joint, const char *name, const char *end) {
    char path[4096];
    snprintf(path, sizeof path, "%s/clmove%s%s%s", folder, joint, name, end);
    if (fflush(stdout) == 0 && freopen(path, "w", stdout))
        return true;
    return refused("%s cannot be written: %s", path, strerror(errno));
}

bool pages_write(const command *clmove, const char *folder) {
    if (!begin(folder, "", "", ".1"))
        return false;
    print_page(clmove, clmove);
    for (const command *const *one = clmove->commands; *one; one++) {
        if (!(*one)->about)
            continue;
        if (!begin(folder, "-", (*one)->name, ".1"))
            return false;
        print_page(*one, clmove);
    }
    if (!begin(folder, "", "", ".bash"))
        return false;
    print_table(clmove);
    return true;
}
