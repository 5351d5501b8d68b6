package io.dedup.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Runs a command: {@code java -jar dedup-tools-<version>-tools.jar import --help}. */
@Command(
        name = "dedup-tools",
        description = "Commands for operators of dedup.",
        mixinStandardHelpOptions = true,
        subcommands = {ImportCommand.class, ReportCommand.class})
public final class ToolsMain {
    private ToolsMain() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new ToolsMain()).setCaseInsensitiveEnumValuesAllowed(true);
    }
}
