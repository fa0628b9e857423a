#include <signal.h>
#include <unistd.h>

#include "cli.h"

int main(int argc, char **argv)
{
	/* A reader that has gone away is a failed write, not a death. */
	signal(SIGPIPE, SIG_IGN);
	return cli_run(argc, argv, environ, stdout, stderr);
}
