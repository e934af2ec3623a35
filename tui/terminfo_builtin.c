#include "tui/terminfo_builtin.h"
#include <stddef.h>
#include <string.h>

/* clang-format off */

/*
 * Descriptions of terminals, with no more than what we use. Compiled by
 *   sed -n '/^heaptop-/,/^$/p' tui/terminfo_builtin.c | tic -x -o db -
 *   for t in xterm direct linux vt100; do TERMINFO=db infocmp -x -0 -Q2 heaptop-$t; done
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
	RGB, colors#0x1000000, pairs#0x7FFF,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e%p1%{256}%<%t38;5;%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e%p1%{256}%<%t48;5;%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	use=heaptop-xterm,
heaptop-linux|the console of Linux,
	colors#8, pairs#64, ncv#18,
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
	"b64:HgJPAA8ADwBpAbUCaGVhcHRvcC1kaXJlY3R8dGhlIHNhbWUgd2l0aCAxNiBtaWxsaW9uIGNvbG91cnM7IHRoZSBmaXJzdCAy"
	"NTYgYXJlIHRoZSBwYWxldHRlAAABAAABAAAAAAAAAAABAVAAAAD_____GAAAAP______________________________________"
	"______________8AAAAB_38AAP__AAACAAQA__8VAB0AIQAlAP__MABBAEMARwBOAP__UABdAP__YQD__2UAaQD__________20A"
	"cgD__3sA________gACFAIoAjwD__5gAnAD_____pQCrAP____________________-xAP__tQD_______-3AP__vAD_________"
	"_8AAxADKAM4A0gDWANwA4gDoAO4A9AD4AP___QD__wEBBgELAf_______w8BEwEbAf__________________________________"
	"_____yMBLAE1AT4B__9HAVABWQH__2IB________________________________awH__3YBeAH_________________________"
	"____________________ewH_______________________________________9_Af__________________________________"
	"____________________________________________________________________________________________________"
	"_4MBiQH_____________________________________________________________________________________________"
	"__________________________________________-PAf______________________________________________________"
	"_________________5QB__________________________________-dAf_______________________6IB________________"
	"__________________________________________________________________________________-oAS4CBwANABtbJWkl"
	"cDElZDslcDIlZHIAG1tIG1sySgAbW0sAG1tKABtbJWklcDElZEcAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAbWz8yNWwACAAbWz8x"
	"MmwbWz8yNWgAG1tDABtbQQAbW1AAG1tNABtbMW0AG1s_MTA0OWgAG1sybQAbWzdtABtbN20AG1s0bQAbWyVwMSVkWAAbW20AG1s_"
	"MTA0OWwAG1syN20AG1syNG0AG1tMAH8AG1szfgAbT0IAG09QABtbMjF-ABtPUQAbT1IAG09TABtbMTV-ABtbMTd-ABtbMTh-ABtb"
	"MTl-ABtbMjB-ABtPSAAbWzJ-ABtPRAAbWzZ-ABtbNX4AG09DABtPQQAbWz8xbBs-ABtbPzFoGz0AG1slcDElZFAAG1slcDElZE0A"
	"G1slcDElZEIAG1slcDElZEAAG1slcDElZEwAG1slcDElZEQAG1slcDElZEMAG1slcDElZEEAG1slaSVwMSVkZAAKABtNABtbWgAb"
	"T0YAG1syM34AG1syNH4AG1sxSwAbWzM5OzQ5bQAbWzNtABtbMjNtABtbJT8lcDElezh9JTwldDMlcDElZCVlJXAxJXsxNn0lPCV0"
	"OSVwMSV7OH0lLSVkJWUlcDElezI1Nn0lPCV0Mzg7NTslcDElZCVlMzg7MjslcDElezY1NTM2fSUvJWQ7JXAxJXsyNTZ9JS8lezI1"
	"NX0lJiVkOyVwMSV7MjU1fSUmJWQlO20AG1slPyVwMSV7OH0lPCV0NCVwMSVkJWUlcDElezE2fSU8JXQxMCVwMSV7OH0lLSVkJWUl"
	"cDElezI1Nn0lPCV0NDg7NTslcDElZCVlNDg7MjslcDElezY1NTM2fSUvJWQ7JXAxJXsyNTZ9JS8lezI1NX0lJiVkOyVwMSV7MjU1"
	"fSUmJWQlO20AAAEAAAAAAAEABAABAAAAUkdCAA==";
static const char linux_console[] =
	"b64:GgEjAA8AEABpAZMBaGVhcHRvcC1saW51eHx0aGUgY29uc29sZSBvZiBMaW51eAAAAQAAAQAAAAAAAAAAAQFQAP__GAD_____"
	"_____________________wgAQAASAP__AAACAAQA__8VAB0AIQAlAP__MABBAEMARwBTAP__VQBhAP__ZQD__2kAbQD_________"
	"_3EA_v____7_________dgB7AIAAhQD__44A_v______kgCYAP____________________-eAP__ogD_______-kAP__qQD_____"
	"_____60AsgC4AL0AwgDHAMwA0gDYAN4A5ADpAP__7gD___IA9wD8AP_______wAB_v_-________________________________"
	"_________wQBDQEWAR8B__8oATEBOgH__0MB________________________________TAH__1cBWQH_____________________"
	"________________________XAH_______________________________________9gAf______________________________"
	"____________________________________________________________________________________________________"
	"_____2UBawH_________________________________________________________________________________________"
	"______________________________________________9xAf__________________________________________________"
	"_____________________3YB___________________________________-__________________________7_____________"
	"______________________________________________________________________________________9_AYkBBwANABtb"
	"JWklcDElZDslcDIlZHIAG1tIG1sySgAbW0sAG1tKABtbJWklcDElZEcAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAbWz8yNWwbWz8x"
	"YwAIABtbPzI1aBtbPzBjABtbQwAbW0EAG1tQABtbTQAbWzFtABtbN20AG1s3bQAbWzRtABtbJXAxJWRYABtbbQAbWzI3bQAbWzI0"
	"bQAbW0wAfwAbWzN-ABtbQgAbW1tBABtbMjF-ABtbW0IAG1tbQwAbW1tEABtbW0UAG1sxN34AG1sxOH4AG1sxOX4AG1syMH4AG1sx"
	"fgAbWzJ-ABtbRAAbWzZ-ABtbNX4AG1tDABtbQQAbWyVwMSVkUAAbWyVwMSVkTQAbWyVwMSVkQgAbWyVwMSVkQAAbWyVwMSVkTAAb"
	"WyVwMSVkRAAbWyVwMSVkQwAbWyVwMSVkQQAbWyVpJXAxJWRkAAoAG00AG1taABtbNH4AG1syM34AG1syNH4AG1sxSwAbWzM5OzQ5"
	"bQAbWzMlcDElZG0AG1s0JXAxJWRtAA==";
static const char vt100[] =
	"b64:GgE0AA8AAwCDAKAAaGVhcHRvcC12dDEwMHx3aGF0IGV2ZXJ5IHRlcm1pbmFsIHNpbmNlIDE5NzggY2FuIGRvAAABAAABAAAA"
	"AAAAAAAAAQBQAP__GAD__wAAAgAEAP__FQAcACAA_____yQANQA3AP__OwD_____PQD__0EA__________________9FAP______"
	"_________0oATwBUAP____9ZAP_______10AYwD__________________________2kA_____________2sA__________9vAP__"
	"cwB3AHsA_____________________38A________gwD_______-HAIsAkwD_________________________________________"
	"______________________________________________________________-bAJ0ABwANABtbJWklcDElZDslcDIlZHIAG1tI"
	"G1tKABtbSwAbW0oAG1slaSVwMSVkOyVwMiVkSAAKABtbSAAIABtbQwAbW0EAG1sxbQAbWzdtABtbN20AG1s0bQAbW20AG1syN20A"
	"G1syNG0ACAAbT0IAG09QABtPUQAbT1IAG09TABtPRAAbT0MAG09BABtbPzFsGz4AG1s_MWgbPQAKABtNAA==";
/* clang-format on */

/* Terminals that understand what xterm does; a name may go on after a '-'. */
static const char *const like_xterm[] = {
	"xterm",   "tmux",    "screen", "alacritty",   "contour", "eterm",
	"foot",    "ghostty", "gnome",  "iterm",       "iterm2",  "kitty",
	"konsole", "mintty",  "mlterm", "ms-terminal", "putty",   "rio",
	"rxvt",    "st",      "vscode", "vte",         "wezterm",
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

struct terminfo
terminfo_builtin(const char *term)
{
	if (is_of_family(term, "linux"))
		return (struct terminfo){ "heaptop-linux", linux_console };
	if (terminfo_is_like_xterm(term))
		return (struct terminfo){ "heaptop-xterm", xterm };
	return (struct terminfo){ "heaptop-vt100", vt100 };
}

struct terminfo
terminfo_direct(void)
{
	return (struct terminfo){ "heaptop-direct", direct };
}
