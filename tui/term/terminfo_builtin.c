#include "tui/term/terminfo_builtin.h"
#include <stddef.h>
#include <string.h>

/* clang-format off */

/*
 * Descriptions of terminals, with no more than what we use. Compiled by
 *   sed -n '/^heaptop-/,/^$/p' tui/term/terminfo_builtin.c | tic -x -o db -
 *   for t in xterm direct linux vt100 vt220; do TERMINFO=db infocmp -x -0 -Q2 heaptop-$t; done
 * from this source:

heaptop-xterm|xterm and what behaves like it,
	am, mir, msgr, xenl,
	cols#80, lines#24, colors#256, pairs#32767,
	clear=\E[H\E[2J, cup=\E[%i%p1%d;%p2%dH, home=\E[H, cr=\r, bel=^G,
	cub1=^H, cud1=\n, cuf1=\E[C, cuu1=\E[A, hpa=\E[%i%p1%dG, vpa=\E[%i%p1%dd,
	cub=\E[%p1%dD, cud=\E[%p1%dB, cuf=\E[%p1%dC, cuu=\E[%p1%dA,
	ed=\E[J, el=\E[K, el1=\E[1K, ech=\E[%p1%dX, csr=\E[%i%p1%d;%p2%dr,
	ind=\n, ri=\EM, il=\E[%p1%dL, dl=\E[%p1%dM, il1=\E[L, dl1=\E[M,
	ich=\E[%p1%d@, dch=\E[%p1%dP, dch1=\E[P,
	smcup=\E[?1049h, rmcup=\E[?1049l, smkx=\E[?1h\E=, rmkx=\E[?1l\E>,
	civis=\E[?25l, cnorm=\E[?12l\E[?25h,
	sgr0=\E[m, bold=\E[1m, dim=\E[2m, sitm=\E[3m, ritm=\E[23m,
	smul=\E[4m, rmul=\E[24m, rev=\E[7m, smso=\E[7m, rmso=\E[27m, op=\E[39;49m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m,
	kcuu1=\EOA, kcud1=\EOB, kcuf1=\EOC, kcub1=\EOD, khome=\EOH, kend=\EOF,
	kpp=\E[5~, knp=\E[6~, kdch1=\E[3~, kich1=\E[2~, kbs=^?, kcbt=\E[Z,
	kf1=\EOP, kf2=\EOQ, kf3=\EOR, kf4=\EOS, kf5=\E[15~, kf6=\E[17~,
	kf7=\E[18~, kf8=\E[19~, kf9=\E[20~, kf10=\E[21~, kf11=\E[23~, kf12=\E[24~,
heaptop-direct|the same with 16 million colours; the first 256 are the palette,
	RGB, bce, colors#0x1000000, pairs#0x7FFF,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e%p1%{256}%<%t38;5;%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e%p1%{256}%<%t48;5;%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	use=heaptop-xterm,
heaptop-linux|the console of Linux,
	bce, colors#8, pairs#64, ncv#18,
	dim@, sitm@, ritm@, smcup@, rmcup@, smkx@, rmkx@,
	civis=\E[?25l\E[?1c, cnorm=\E[?25h\E[?0c,
	setaf=\E[3%p1%dm, setab=\E[4%p1%dm,
	kcuu1=\E[A, kcud1=\E[B, kcuf1=\E[C, kcub1=\E[D, khome=\E[1~, kend=\E[4~,
	kf1=\E[[A, kf2=\E[[B, kf3=\E[[C, kf4=\E[[D, kf5=\E[[E,
	use=heaptop-xterm,
heaptop-vt100|what every terminal since 1978 can do,
	am, msgr, xenl, cols#80, lines#24,
	clear=\E[H\E[J, cup=\E[%i%p1%d;%p2%dH, home=\E[H, cr=\r, bel=^G,
	cub1=^H, cud1=\n, cuf1=\E[C, cuu1=\E[A, ed=\E[J, el=\E[K,
	csr=\E[%i%p1%d;%p2%dr, ind=\n, ri=\EM,
	sgr0=\E[m, bold=\E[1m, smul=\E[4m, rmul=\E[24m, rev=\E[7m,
	smso=\E[7m, rmso=\E[27m, smkx=\E[?1h\E=, rmkx=\E[?1l\E>,
	kcuu1=\EOA, kcud1=\EOB, kcuf1=\EOC, kcub1=\EOD, kbs=^H,
	kf1=\EOP, kf2=\EOQ, kf3=\EOR, kf4=\EOS,
heaptop-vt220|and the ones after it, up to the VT525,
	ech=\E[%p1%dX, il=\E[%p1%dL, dl=\E[%p1%dM, il1=\E[L, dl1=\E[M,
	ich=\E[%p1%d@, dch=\E[%p1%dP, dch1=\E[P,
	civis=\E[?25l, cnorm=\E[?25h, kbs=^?,
	khome=\E[1~, kich1=\E[2~, kdch1=\E[3~, kend=\E[4~, kpp=\E[5~, knp=\E[6~,
	kf6=\E[17~, kf7=\E[18~, kf8=\E[19~, kf9=\E[20~, kf10=\E[21~,
	kf11=\E[23~, kf12=\E[24~,
	use=heaptop-vt100,

 */
static const char xterm[] =
	"b64:GgEtAA8ADwBpAScCaGVhcHRvcC14dGVybXx4dGVybSBhbmQgd2hhdCBiZWhhdmVzIGxpa2UgaXQAAAEAAAEAAAAAAAAAAAEB"
	"UAD__xgA__________________________8AAf9___8AAAIABAD__xUAHQAhACUA__8wAEEAQwBHAE4A__9QAF0A__9hAP__ZQBp"
	"AP__________bQByAP__ewD_______-AAIUAigCPAP__mACcAP____-lAKsA_____________________7EA__-1AP_______7cA"
	"__-8AP__________wADEAMoAzgDSANYA3ADiAOgA7gD0APgA___9AP__AQEGAQsB________DwETARsB____________________"
	"____________________IwEsATUBPgH__0cBUAFZAf__YgH_______________________________9rAf__dgF4Af__________"
	"__________________________________97Af_______________________________________38B____________________"
	"____________________________________________________________________________________________________"
	"________________gwGJAf______________________________________________________________________________"
	"_________________________________________________________48B________________________________________"
	"________________________________lAH__________________________________50B________________________ogH_"
	"_________________________________________________________________________________________________6gB"
	"5wEHAA0AG1slaSVwMSVkOyVwMiVkcgAbW0gbWzJKABtbSwAbW0oAG1slaSVwMSVkRwAbWyVpJXAxJWQ7JXAyJWRIAAoAG1tIABtb"
	"PzI1bAAIABtbPzEybBtbPzI1aAAbW0MAG1tBABtbUAAbW00AG1sxbQAbWz8xMDQ5aAAbWzJtABtbN20AG1s3bQAbWzRtABtbJXAx"
	"JWRYABtbbQAbWz8xMDQ5bAAbWzI3bQAbWzI0bQAbW0wAfwAbWzN-ABtPQgAbT1AAG1syMX4AG09RABtPUgAbT1MAG1sxNX4AG1sx"
	"N34AG1sxOH4AG1sxOX4AG1syMH4AG09IABtbMn4AG09EABtbNn4AG1s1fgAbT0MAG09BABtbPzFsGz4AG1s_MWgbPQAbWyVwMSVk"
	"UAAbWyVwMSVkTQAbWyVwMSVkQgAbWyVwMSVkQAAbWyVwMSVkTAAbWyVwMSVkRAAbWyVwMSVkQwAbWyVwMSVkQQAbWyVpJXAxJWRk"
	"AAoAG00AG1taABtPRgAbWzIzfgAbWzI0fgAbWzFLABtbMzk7NDltABtbM20AG1syM20AG1slPyVwMSV7OH0lPCV0MyVwMSVkJWUl"
	"cDElezE2fSU8JXQ5JXAxJXs4fSUtJWQlZTM4OzU7JXAxJWQlO20AG1slPyVwMSV7OH0lPCV0NCVwMSVkJWUlcDElezE2fSU8JXQx"
	"MCVwMSV7OH0lLSVkJWU0ODs1OyVwMSVkJTttAA==";
static const char direct[] =
	"b64:HgJPAB0ADwBpAbUCaGVhcHRvcC1kaXJlY3R8dGhlIHNhbWUgd2l0aCAxNiBtaWxsaW9uIGNvbG91cnM7IHRoZSBmaXJzdCAy"
	"NTYgYXJlIHRoZSBwYWxldHRlAAABAAABAAAAAAAAAAABAQAAAAAAAAAAAAAAAAABUAAAAP____8YAAAA____________________"
	"_________________________________wAAAAH_fwAA__8AAAIABAD__xUAHQAhACUA__8wAEEAQwBHAE4A__9QAF0A__9hAP__"
	"ZQBpAP__________bQByAP__ewD_______-AAIUAigCPAP__mACcAP____-lAKsA_____________________7EA__-1AP______"
	"_7cA__-8AP__________wADEAMoAzgDSANYA3ADiAOgA7gD0APgA___9AP__AQEGAQsB________DwETARsB________________"
	"________________________IwEsATUBPgH__0cBUAFZAf__YgH_______________________________9rAf__dgF4Af______"
	"______________________________________97Af_______________________________________38B________________"
	"____________________________________________________________________________________________________"
	"____________________gwGJAf__________________________________________________________________________"
	"_____________________________________________________________48B____________________________________"
	"____________________________________lAH__________________________________50B________________________"
	"ogH_________________________________________________________________________________________________"
	"_6gBLgIHAA0AG1slaSVwMSVkOyVwMiVkcgAbW0gbWzJKABtbSwAbW0oAG1slaSVwMSVkRwAbWyVpJXAxJWQ7JXAyJWRIAAoAG1tI"
	"ABtbPzI1bAAIABtbPzEybBtbPzI1aAAbW0MAG1tBABtbUAAbW00AG1sxbQAbWz8xMDQ5aAAbWzJtABtbN20AG1s3bQAbWzRtABtb"
	"JXAxJWRYABtbbQAbWz8xMDQ5bAAbWzI3bQAbWzI0bQAbW0wAfwAbWzN-ABtPQgAbT1AAG1syMX4AG09RABtPUgAbT1MAG1sxNX4A"
	"G1sxN34AG1sxOH4AG1sxOX4AG1syMH4AG09IABtbMn4AG09EABtbNn4AG1s1fgAbT0MAG09BABtbPzFsGz4AG1s_MWgbPQAbWyVw"
	"MSVkUAAbWyVwMSVkTQAbWyVwMSVkQgAbWyVwMSVkQAAbWyVwMSVkTAAbWyVwMSVkRAAbWyVwMSVkQwAbWyVwMSVkQQAbWyVpJXAx"
	"JWRkAAoAG00AG1taABtPRgAbWzIzfgAbWzI0fgAbWzFLABtbMzk7NDltABtbM20AG1syM20AG1slPyVwMSV7OH0lPCV0MyVwMSVk"
	"JWUlcDElezE2fSU8JXQ5JXAxJXs4fSUtJWQlZSVwMSV7MjU2fSU8JXQzODs1OyVwMSVkJWUzODsyOyVwMSV7NjU1MzZ9JS8lZDsl"
	"cDElezI1Nn0lLyV7MjU1fSUmJWQ7JXAxJXsyNTV9JSYlZCU7bQAbWyU_JXAxJXs4fSU8JXQ0JXAxJWQlZSVwMSV7MTZ9JTwldDEw"
	"JXAxJXs4fSUtJWQlZSVwMSV7MjU2fSU8JXQ0ODs1OyVwMSVkJWU0ODsyOyVwMSV7NjU1MzZ9JS8lZDslcDElezI1Nn0lLyV7MjU1"
	"fSUmJWQ7JXAxJXsyNTV9JSYlZCU7bQAAAQAAAAAAAQAEAAEAAABSR0IA";
static const char linux_console[] =
	"b64:GgEjAB0AEABpAZMBaGVhcHRvcC1saW51eHx0aGUgY29uc29sZSBvZiBMaW51eAAAAQAAAQAAAAAAAAAAAQEAAAAAAAAAAAAA"
	"AAAAAVAA__8YAP__________________________CABAABIA__8AAAIABAD__xUAHQAhACUA__8wAEEAQwBHAFMA__9VAGEA__9l"
	"AP__aQBtAP__________cQD-_____v________92AHsAgACFAP__jgD-______-SAJgA_____________________54A__-iAP__"
	"_____6QA__-pAP__________rQCyALgAvQDCAMcAzADSANgA3gDkAOkA___uAP__8gD3APwA________AAH-__7_____________"
	"____________________________BAENARYBHwH__ygBMQE6Af__QwH_______________________________9MAf__VwFZAf__"
	"__________________________________________9cAf_______________________________________2AB____________"
	"____________________________________________________________________________________________________"
	"________________________ZQFrAf______________________________________________________________________"
	"_________________________________________________________________3EB________________________________"
	"________________________________________dgH___________________________________7_____________________"
	"_____v______________________________________________________________________________________________"
	"_____38BiQEHAA0AG1slaSVwMSVkOyVwMiVkcgAbW0gbWzJKABtbSwAbW0oAG1slaSVwMSVkRwAbWyVpJXAxJWQ7JXAyJWRIAAoA"
	"G1tIABtbPzI1bBtbPzFjAAgAG1s_MjVoG1s_MGMAG1tDABtbQQAbW1AAG1tNABtbMW0AG1s3bQAbWzdtABtbNG0AG1slcDElZFgA"
	"G1ttABtbMjdtABtbMjRtABtbTAB_ABtbM34AG1tCABtbW0EAG1syMX4AG1tbQgAbW1tDABtbW0QAG1tbRQAbWzE3fgAbWzE4fgAb"
	"WzE5fgAbWzIwfgAbWzF-ABtbMn4AG1tEABtbNn4AG1s1fgAbW0MAG1tBABtbJXAxJWRQABtbJXAxJWRNABtbJXAxJWRCABtbJXAx"
	"JWRAABtbJXAxJWRMABtbJXAxJWREABtbJXAxJWRDABtbJXAxJWRBABtbJWklcDElZGQACgAbTQAbW1oAG1s0fgAbWzIzfgAbWzI0"
	"fgAbWzFLABtbMzk7NDltABtbMyVwMSVkbQAbWzQlcDElZG0A";
static const char vt100[] =
	"b64:GgE0AA8AAwCDAKAAaGVhcHRvcC12dDEwMHx3aGF0IGV2ZXJ5IHRlcm1pbmFsIHNpbmNlIDE5NzggY2FuIGRvAAABAAABAAAA"
	"AAAAAAAAAQBQAP__GAD__wAAAgAEAP__FQAcACAA_____yQANQA3AP__OwD_____PQD__0EA__________________9FAP______"
	"_________0oATwBUAP____9ZAP_______10AYwD__________________________2kA_____________2sA__________9vAP__"
	"cwB3AHsA_____________________38A________gwD_______-HAIsAkwD_________________________________________"
	"______________________________________________________________-bAJ0ABwANABtbJWklcDElZDslcDIlZHIAG1tI"
	"G1tKABtbSwAbW0oAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAIABtbQwAbW0EAG1sxbQAbWzdtABtbN20AG1s0bQAbW20AG1syN20A"
	"G1syNG0ACAAbT0IAG09QABtPUQAbT1IAG09TABtPRAAbT0MAG09BABtbPzFsGz4AG1s_MWgbPQAKABtNAA==";
static const char vt220[] =
	"b64:GgE1AA8AAwDaAC8BaGVhcHRvcC12dDIyMHxhbmQgdGhlIG9uZXMgYWZ0ZXIgaXQsIHVwIHRvIHRoZSBWVDUyNQAAAQAAAQAA"
	"AAAAAAAAAAFQAP__GAD__wAAAgAEAP__FQAcACAA_____yQANQA3ADsAQgD__0QASwD__08A__9TAFcA__________9bAP______"
	"_________2AAZQBqAG8A__94AP_______3wAggD_____________________iAD__4wA________jgD__5MA__________-XAJsA"
	"oQClAKkA__-tALMAuQC_AMUAygD__88A___TANgA3QD________hAOUA7QD________________________________________1"
	"AP4A__8HAf__EAH_______________________________________________8ZARsB________________________________"
	"________________________________________________________HgH_________________________________________"
	"______________________________________________________________________________________________8jASkB"
	"BwANABtbJWklcDElZDslcDIlZHIAG1tIG1tKABtbSwAbW0oAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAbWz8yNWwACAAbWz8yNWgA"
	"G1tDABtbQQAbW1AAG1tNABtbMW0AG1s3bQAbWzdtABtbNG0AG1slcDElZFgAG1ttABtbMjdtABtbMjRtABtbTAB_ABtbM34AG09C"
	"ABtPUAAbWzIxfgAbT1EAG09SABtPUwAbWzE3fgAbWzE4fgAbWzE5fgAbWzIwfgAbWzF-ABtbMn4AG09EABtbNn4AG1s1fgAbT0MA"
	"G09BABtbPzFsGz4AG1s_MWgbPQAbWyVwMSVkUAAbWyVwMSVkTQAbWyVwMSVkQAAbWyVwMSVkTAAKABtNABtbNH4AG1syM34AG1sy"
	"NH4A";
/* clang-format on */

/* Terminals that are compatible with xterm; a name may continue after '-'. */
static const char *const like_xterm[] = {
	"xterm", "tmux",  "screen", "alacritty", "contour", "eterm",  "foot",    "ghostty",
	"gnome", "iterm", "iterm2", "kitty",     "konsole", "mintty", "mlterm",  "ms-terminal",
	"putty", "rio",   "rxvt",   "st",        "vscode",  "vte",    "wezterm",
};

static bool
is_of_family(const char *term, const char *family)
{
	size_t len = strlen(family);

	return strncmp(term, family, len) == 0 &&
	       (term[len] == '\0' || term[len] == '-' || term[len] == '.');
}

bool
terminfo_is_like_xterm(const char *term)
{
	for (size_t i = 0; i < sizeof(like_xterm) / sizeof(like_xterm[0]); i++)
		if (is_of_family(term, like_xterm[i]))
			return true;
	return strstr(term, "256color") != NULL;
}

/* vt220, vt320-w, vt525, … */
static bool
is_later_vt(const char *term)
{
	return strncmp(term, "vt", 2) == 0 && term[2] >= '2' && term[2] <= '5' && term[3] >= '0' &&
	       term[3] <= '9' && term[4] >= '0' && term[4] <= '9' &&
	       (term[5] == '\0' || term[5] == '-');
}

struct terminfo
terminfo_builtin(const char *term)
{
	if (is_of_family(term, "linux"))
		return (struct terminfo){ "heaptop-linux", linux_console };
	if (terminfo_is_like_xterm(term))
		return (struct terminfo){ "heaptop-xterm", xterm };
	if (is_later_vt(term))
		return (struct terminfo){ "heaptop-vt220", vt220 };
	return (struct terminfo){ "heaptop-vt100", vt100 };
}

struct terminfo
terminfo_direct(void)
{
	return (struct terminfo){ "heaptop-direct", direct };
}
