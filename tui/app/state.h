#ifndef TUI_APP_STATE_H
#define TUI_APP_STATE_H

/*
 * State that the files of tui/app/ share. Each file calls only those before it in SOURCE.md: state,
 * stack of views, jobs, prompt, running of commands, the commands themselves, keys, main loop.
 */
#include "model/base/arena.h"
#include "tui/app/app.h"
#include "tui/app/command.h"
#include "tui/app/settings.h"
#include "tui/app/tour.h"
#include "tui/app/script.h"
#include "tui/widget/menu.h"
#include "tui/widget/prompt.h"

struct view_writing;

/* The largest count that can be typed before a key. */
enum { COUNT_MAX = 100000000 };

enum prompt_kind { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_KINDS };

typedef bool menu_choose(struct app *app, int value, struct error *err);

/* After this time, digits typed so far no longer apply to the next key. */
enum { COUNT_TIMEOUT_MS = 2000 };

struct app {
	struct session *session;       /* the current view's */
	struct session *entered;       /* between app_enter() and app_leave() */
	struct snapshots *snapshots;   /* NULL: `session` is the only one */
	struct term *term;             /* NULL in tests and batch mode */
	struct memory_refused refused; /* refusals already reported */
	struct settings *settings;     /* shared with the snapshots unless owned */
	bool owns_settings;

	/* History of views; views[current] is on the screen. */
	struct view **views;
	size_t views_count, views_room, current;
	uint64_t views_opened; /* total since the start */

	/* The inspector beside the view, see pane.c. */
	struct view *pane; /* NULL: closed, or nothing selected yet */
	bool is_pane_open, has_pane_focus;
	bool is_split;             /* view and pane were both drawn */
	struct target pane_target; /* an object or a type */

	int rows, columns; /* size of the screen when last drawn */
	/* State of the mouse, see mouse.c. */
	struct {
		const struct view *clicked; /* by the last input; NULL: none */
		size_t row;                 /* index in `clicked` */
		uint64_t key;               /* key of that row */
		const struct view *sized;   /* NULL: no edge is being dragged */
		int column, width, from;    /* the edge belongs to this column */
	} mouse;

	struct prompt *prompts[PROMPT_KINDS]; /* created on first use */
	enum prompt_kind prompt_kind;
	bool is_prompting;
	struct error history_error; /* reported once */
	bool has_shown_history_error;
	struct menu menu;
	menu_choose *menu_choose; /* called with the chosen item */

	uint32_t count; /* count typed before a key; 0: none */
	bool is_counting;
	int64_t counted_ns; /* time of its last digit */

	/* heaptop's own memory use. Cached, so that keys that change nothing redraw nothing. */
	uint64_t own_bytes;
	uint32_t own_version;
	size_t own_views;

	bool is_paused; /* see app_pause() */
	char message[512];
	enum style message_style;
	bool message_is_of_view; /* cleared by the next command */
	/* How often it was shown in a row; the message before that. */
	unsigned message_times, message_times_before;
	char message_before[512];
	struct tour tour;
	const char *hint;     /* for newcomers; NULL: none, or a key was pressed */
	bool keeps_histories; /* across runs; false in tests */
	const struct rc *rc;  /* its commands have not run yet; or NULL */
	const char *startup;  /* commands of -x, until a heap is loaded */
	/* The view to restore after a heap has been captured again. */
	struct {
		uint64_t view;  /* number of the view to replace; 0: none */
		char *commands; /* commands that restore it, owned; NULL: they have been run */
		bool was_object;
		char row[VALUE_TEXT_BYTES]; /* name of the selected row */
		size_t rows_above;          /* rows above it with the same name */
	} again;
	struct resume *resume;         /* the session being resumed, or NULL */
	struct script_nesting nesting; /* nesting of command files */
	/* A table being written to a file, see write_view.h; NULL: none. */
	struct view_writing *writing;
	bool quits_when_written;
	/* How many heaps there were when the user was asked to save them. */
	size_t asked_to_save;
	bool has_quit;
	bool was_interrupted; /* by the last key: the next ^C quits */
	bool is_busy;         /* a job was running at the last poll */
};

/* A front end that the main loop drives: a full screen or single lines. */
struct front {
	void *context;
	bool is_linear;
	bool (*show)(void *context, struct app *app, struct error *err);
	/* Wait for a key, as term_key() does. */
	int (*key)(void *context, struct app *app, int timeout_ms);
	/* Wait briefly while rows are computed; NULL: a millisecond. */
	void (*rest)(void *context, struct app *app);
};

/* state.c */
void app_show_error(struct app *app, const struct error *err);
/*
 * Enters and leaves the session, see session_enter(). Outside, a source that reads again may have
 * fewer types than before: rows may then name types that are gone.
 */
void app_enter(struct app *app);
void app_leave(struct app *app);
/* Returns the n-th session whose jobs the app polls, or NULL after the last. */
struct session *app_nth_session(const struct app *app, size_t n);
/*
 * Prepares for input: clears the message, ends gestures, and forgets the row that was to be
 * selected.
 */
void app_begin_input(struct app *app);
void app_again_forget(struct app *app);
/* Returns whether the command `what` may write to this file. */
bool app_may_write(const struct app *app, const char *path, bool may_replace, const char *what,
		   struct error *err) MUST_USE;
/* Writes a small file, after app_may_write(). */
bool app_write_text(const struct app *app, const char *path, bool may_replace, char *text,
		    struct error *err) MUST_USE;

/* stack.c */
/* Shows another of the open views and gives it the focus. */
void app_show_view(struct app *app, size_t index);
void app_go_back(struct app *app);
void app_go_forward(struct app *app);
/* Shows the nearest open view of this kind; false if there is none. */
bool app_go_to(struct app *app, const struct view_ops *ops);
/* Makes the rows that can be made now; errors go to the status line. */
void app_update_view(struct app *app);
/*
 * Leaves the session while a command waits for the user, so that a source can go on reading it.
 * Does nothing if it was not entered.
 */
void app_pause(struct app *app);
void app_go_on(struct app *app);
/* Closes views[from] and all after it; shows another if that was current. */
void app_close_from(struct app *app, size_t from);

/* jobs.c: reports how saving a heap has ended, and what the file lacks. */
void app_report_saved(struct app *app, const struct session *s);

/* running.c */
bool app_cancel_job(struct app *app);
/* Returns whether a job is running whose result will change the screen. */
bool app_is_busy(const struct app *app);
/* Returns whether a heap or table is being written to a file. */
bool app_is_writing(const struct app *app);
/* Returns the job that Esc cancels, or NULL. */
const struct job *app_running_job(const struct app *app);

/* again.c */
/* Remembers the position in `v`, to restore it in the current view once its heap is loaded. */
void app_again_show(struct app *app, const struct view *v);
/* Selects the remembered row once there are rows; see app_begin_input(). */
void app_again_select(struct app *app);

/* pane.c */
/* Opens the pane, or moves the focus between it and the view. */
bool app_enter_pane(struct app *app, struct error *err);
void app_close_pane(struct app *app);
/* Returns whether the pane is open and has something to show for this view. */
bool app_shows_pane(const struct app *app);
void app_follow_with_pane(struct app *app, struct error *err);
/* Focus the view or pane at this position. False: there is neither. */
bool app_focus_at(struct app *app, int row, int column);
/* Draws the current view and the pane. */
void app_draw_views(struct app *app, struct screen *s, struct area area, bool has_focus);

/* mouse.c */
/* Returns the key that the event acts like, `times` times; or KEY_NONE_. */
int app_mouse_key(struct app *app, const struct mouse *m, int *times);

/* view_help.c */
/* Mouse gestures, for help. */
struct mouse_gesture {
	const char *name, *help;
};
extern const struct mouse_gesture mouse_gestures[];

/* view_settings.c */
/* Refreshes open views that list settings. */
void settings_refresh_views(struct app *app);
/* Lists all settings; topic "map" lists only mapped keys. */
bool settings_show(struct app *app, const char *topic, struct error *err);

/* command_run.c */
/*
 * If the view on the screen already shows this, report that: opening it again would look as if
 * nothing had happened.
 */
bool app_shows(struct app *app, const struct view_ops *ops, const struct target *target);
/* Runs a command with the argument, count and key of `call`. */
bool app_run_binding(struct app *app, const struct binding *b, struct call call, struct error *err);
/* Runs a script up to the first error, which names its position. */
bool app_script(struct app *app, struct script *s, struct error *err);
/* Runs the commands of a mapped key, from a copy: they may map keys. */
bool app_run_mapping(struct app *app, const char *commands, struct error *err);
/* Runs the commands in a file. The nesting of files is limited. */
bool app_source(struct app *app, const char *path, struct error *err);

/* asking.c */
void app_begin_prompt(struct app *app, enum prompt_kind kind, const char *initial);
/* Opens app->menu unless it is empty; `key` chooses as Enter does. */
void app_open_menu(struct app *app, int key, menu_choose *choose);
void app_open_sort_menu(struct app *app, int key);

/* keys.c */
/* Returns whether the digit typed is also the key of a view. */
bool app_has_number_key(struct app *app);
/* The same as app_key(), for mouse events. */
bool app_mouse(struct app *app, const struct mouse *m);
/* Handles pasted text: `text` is its first line, and `has_more` tells that there are others. */
bool app_paste(struct app *app, const char *text, bool has_more);

/* jobs.c */
/* Takes the results of jobs and refreshes the view. */
void app_poll(struct app *app);
/* Restores the remembered view if the heap of the current view is loaded. */
void app_again_run(struct app *app);

/* app.c */
/* The same as app_run(), until the setting `linear` wants the other front. */
bool app_run_with(struct app *app, const struct front *front, struct error *err) MUST_USE;

#endif
