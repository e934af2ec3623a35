#include "model/table/mine_text.h"
#include "model/base/format.h"

void
mine_text(const struct mine *m, struct value *out)
{
	char mine[FORMAT_BYTES], present[FORMAT_BYTES], bytes[FORMAT_BYTES], all[FORMAT_BYTES];

	value_printf(
	    out, STYLE_ROOT, "my code: %s of %s types; %s of %s counted with them%s",
	    format_count(m->mine_count, mine), format_count(m->present_count, present),
	    format_size(m->all.bytes, bytes), format_size(m->all.bytes + m->left_out.bytes, all),
	    m->counted ? "" : "; what they hold is not, as long as retained sizes are unknown");
}
