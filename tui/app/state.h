#ifndef TUI_APP_STATE_H
#define TUI_APP_STATE_H

/*
 * What the parts of the program on the screen share. Each of them calls only
 * those above it in SOURCE.md: the state, the stack of views, what runs, the
 * prompt, commands as they are run, what they do, keys, the loop.
 */
#include "model/base/arena.h"
#include "tui/app/app.h"
#include "tui/app/command.h"
#include "tui/app/settings.h"
#include "tui/app/tour.h"
#include "tui/base/script.h"
#include "tui/widget/menu.h"
#include "tui/widget/prompt.h"

struct view_writing;

enum { COUNT_MAX = 100000000 }; /* what a number before a key counts to */

enum prompt_kind { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_KINDS };

typedef bool menu_choose(struct app *app, int value, struct error *err);

/* How long a count of several digits waits for its motion. */
enum { COUNT_REST_MS = 2000 };

struct app {
	struct session *session;     /* of the current view */
	struct session *entered;     /* whose types may be looked at now */
	struct snapshots *snapshots; /* all of them; NULL: there is just one */
	struct term *term;           /* NULL in tests and batch mode */
	struct memory_refused refused; /* what was told of it */
	struct settings *settings;     /* of the snapshots, or its own */
	bool owns_settings;

	/* Back and forward: views[current] is on the screen. */
	struct view **views;
	size_t views_count, views_room, current;
	uint64_t views_opened; /* ever */

	/* What is beside it, see pane.c. */
	struct view *pane; /* NULL: none, or nothing was selected yet */
	bool is_pane_open, has_pane_focus;
	bool is_split;             /* both were drawn */
	struct target pane_target; /* an object, or all of a type */

	int rows, columns; /* of the screen, as it was drawn last */
	/* See mouse.c. */
	struct {
		const struct view *clicked; /* by the last key; NULL: none */
		size_t row;                 /* of that */
		uint64_t key;               /* of the row */
		const struct view *sized;   /* NULL: no edge is dragged */
		int column, width, from;    /* the edge is of this column */
	} mouse;

	struct prompt *prompts[PROMPT_KINDS]; /* made when first used */
	enum prompt_kind prompt_kind;
	bool is_prompting;
	struct error history_trouble; /* to be told once, when there is room */
	bool has_told_trouble;
	struct menu menu;
	menu_choose *menu_choose; /* what to do with an item of it */

	uint32_t count; /* digits typed so far; 0: none */
	bool is_counting;
	int64_t counted_ns; /* when its last digit came */

	/* What heaptop takes, as it was when the session or the views changed:
	   a key that changes nothing sends nothing. */
	uint64_t own_bytes;
	uint32_t own_version;
	size_t own_views;

	bool is_paused; /* see app_pause() */
	char message[512];
	enum style message_style;
	bool message_is_of_view; /* untrue as soon as something is run */
	/* How often it was said in a row; and what the input before it said. */
	unsigned message_times, message_times_before;
	char message_before[512];
	struct tour tour;
	const char *hint;     /* for newcomers; NULL: none, or a key came */
	bool keeps_histories; /* across runs; tests do not */
	const struct rc *rc;  /* commands that wait, too; or NULL */
	const char *startup;  /* commands of -x that wait for the heap */
	/* What a heap that is captured again shall be shown in. */
	struct {
		uint64_t view;  /* its number; 0: nothing is to be shown */
		char *commands; /* free(); NULL: they were run */
		bool was_object;
		char row[VALUE_TEXT_BYTES]; /* the name of the selected one */
		size_t rows_above;          /* it, of the same name */
	} again;
	struct resume *resume; /* a session that is brought back; or NULL */
	struct script_nesting nesting; /* of files of commands */
	/* A table on its way into a file, see write_view.h; NULL: none. */
	struct view_writing *writing;
	bool quits_when_written;
	bool was_asked_to_keep; /* heaps that are in no file, before quitting */
	bool has_quit;
	bool was_interrupted; /* by the last key; the next ^C quits */
	bool is_at_work;      /* a computation was running, last time round */
};

/* Who shows what there is, and hands over keys: a screen, or lines. */
struct front {
	void *context;
	bool is_linear;
	bool (*show)(void *context, struct app *app, struct error *err);
	/* As term_key(). */
	int (*key)(void *context, struct app *app, int timeout_ms);
	/* Lets a moment pass, while rows are made; NULL: a millisecond. */
	void (*rest)(void *context, struct app *app);
};

/* state.c */
void app_show_error(struct app *app, const struct error *err);
/*
 * Between session_enter() and session_leave(): a source that reads again has
 * fewer types than before, and rows must not name those that are gone.
 */
void app_enter(struct app *app);
void app_leave(struct app *app);
/* The sessions whose jobs are looked after; NULL behind the last. */
struct session *app_nth_session(const struct app *app, size_t n);
/* Something is done: what was told goes, what was begun ends, and a row that
   was still to be selected is not. */
void app_begin_input(struct app *app);
void app_again_forget(struct app *app);

/* stack.c */
/* Another of the open views is shown: keys go there. */
void app_show_view(struct app *app, size_t index);
void app_go_back(struct app *app);
void app_go_forward(struct app *app);
/* Goes to an open view of this kind, the nearest one; false if there is none.
 */
bool app_go_to(struct app *app, const struct view_ops *ops);
/* Rows that can be made now; what went wrong goes to the status line. */
void app_update_view(struct app *app);
/* For a command that waits for somebody: until then a source that reads is not
   held up. Again and where nothing was entered: nothing. */
void app_pause(struct app *app);
void app_go_on(struct app *app);
/* Closes views[from] and those behind. The current one may be among them if
   another is shown next. */
void app_close_from(struct app *app, size_t from);

/* running.c */
bool app_cancel_job(struct app *app);
/* A computation is running that brings something to the screen. */
bool app_is_at_work(const struct app *app);
/* A file is being written: a heap or a table. */
bool app_is_writing(const struct app *app);
/* What Esc stops: of the view, its session or one that it waits for; or NULL */
const struct job *app_running_job(const struct app *app);

/* again.c */
/*
 * Where one is in `v` shall be shown from the current view on, when its heap is
 * there; if that view is closed before, it is forgotten.
 */
void app_again_show(struct app *app, const struct view *v);
/* Selects the row, once there are rows; see app_begin_input(). */
void app_again_select(struct app *app);

/* pane.c */
/* Opens it, or goes over to it and back. */
bool app_enter_pane(struct app *app, struct error *err);
void app_close_pane(struct app *app);
/* Open, and the view on the screen is one that it goes with. */
bool app_shows_pane(const struct app *app);
void app_follow_with_pane(struct app *app, struct error *err);
/* Keys go to the one that stands there. False: neither does. */
bool app_focus_at(struct app *app, int row, int column);
/* The current view and the pane. */
void app_draw_views(struct app *app, struct screen *s, struct area area,
		    bool has_focus);

/* mouse.c */
/* The key that it is as good as, or KEY_NONE_, and how often. */
int app_mouse_key(struct app *app, const struct mouse *m, int *times);

/* view_help.c */
/* The gestures of the mouse, for help. */
struct mouse_gesture {
	const char *name, *help;
};
extern const struct mouse_gesture mouse_gestures[]; /* ends with {0} */

/* view_settings.c */
/* Views that list settings make their rows anew. */
void settings_tell_views(struct app *app);
/* Lists them all on the screen; topic "map": only mapped keys. */
bool settings_show(struct app *app, const char *topic, struct error *err);

/* command_run.c */
/* The view on screen is that one: it is said, for opened upon itself it would
   look as if the key did nothing. */
bool app_shows(struct app *app, const struct view_ops *ops,
	       const struct target *target);
/* Runs what was found; `arg` as typed, or "". */
bool app_run_binding(struct app *app, const struct binding *b, const char *arg,
		     uint32_t count, int key, struct error *err);
/* Stops at the first command that fails, and says where it stands. */
bool app_script(struct app *app, struct script *s, struct error *err);
/* The commands of a file; one that names another, and so on, has an end. */
bool app_source(struct app *app, const char *path, struct error *err);
/* command_expand_alias() for the heap of the current view. */
const char *app_expand_alias(struct app *app, const char *line,
			     char expanded[SCRIPT_COMMAND_BYTES],
			     struct error *err);

/* asking.c */
void app_begin_prompt(struct app *app, enum prompt_kind kind,
		      const char *initial);
/* Opens app->menu, if there is something in it; `key` chooses as Enter does. */
void app_open_menu(struct app *app, int key, menu_choose *choose);
void app_open_sort_menu(struct app *app, int key);

/* keys.c */
/* Has a digit been typed that alone goes to a view? */
bool app_has_number_key(struct app *app);
/* As app_key(). */
bool app_mouse(struct app *app, const struct mouse *m);

/* jobs.c */
/* Takes results of jobs, refreshes the view. */
void app_poll(struct app *app);
/* Opens what shall be shown anew, if the heap of the current view is there. */
void app_again_run(struct app *app);

/* app.c */
/* As app_run(); also until the setting wants the other front. */
bool app_run_with(struct app *app, const struct front *front,
		  struct error *err) MUST_USE;

#endif
