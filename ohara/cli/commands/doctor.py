"""`ohara doctor`: checks the installation and every index, and says how to repair what is wrong."""

from __future__ import annotations

import click

from ohara.cli.report import ExitCode
from ohara.sanitize import sanitize


@click.command("doctor")
@click.option(
    "--fix", "fixing", is_flag=True, help="Mend what can be mended safely: indexes, never repositories."
)
def command(*, fixing: bool) -> ExitCode:
    """Check the installation and every index, and say how to mend what is wrong."""
    from ohara.setup import doctor

    ill = False
    for finding in doctor.examine():
        click.echo(f"{'✓' if finding.well else '✗'} {sanitize(finding.name)}: {sanitize(finding.said)}")
        if finding.well:
            continue
        if fixing and finding.repair:
            trouble = doctor.repair(finding)
            click.echo(f"  {'could not be mended: ' + sanitize(trouble) if trouble else 'mended'}")
            ill = ill or bool(trouble)
        else:
            ill = True
            if finding.fix:
                click.echo(f"  fix: {sanitize(finding.fix)}")
    return ExitCode.NOTHING_FOUND if ill else ExitCode.FOUND
