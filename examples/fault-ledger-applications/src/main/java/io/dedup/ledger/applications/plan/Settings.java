package io.dedup.ledger.applications.plan;

import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.plan.RunSize;
import io.dedup.testservers.amqp.RabbitMqServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command's settings. */
@Command(name = "application-ledger", sortOptions = false, showDefaultValues = true)
public final class Settings {
    private static final String ALL_KINDS =
            "handler-killed+store-cut+broker-cut+fail+lost-replies+deploy+slow+store-restart+pause";

    @Option(names = "--rows", description = "all that can run here, or names separated by commas, such as http,stream")
    private String rows = "all";

    @Option(names = "--messages", description = "for each row and seed")
    private int messages = 120;

    @Option(names = "--faults", description = "for each row and seed")
    private int faults = 9;

    @Option(names = "--kinds", description = "of faults: all, or names joined by plus signs")
    private String kinds = "all";

    @Option(names = "--seed", description = "the first one; decides what is sent and broken, where and when")
    private long seed = 1;

    @Option(names = "--seeds", description = "how many of them")
    private int seeds = 1;

    @Option(names = "--bound-s", description = "seconds without any effect until the rest is stuck")
    private int boundSeconds = 60;

    @Option(names = "--directory", description = "of the results")
    private Path directory = Path.of("target", "ledger");

    private Settings() {}

    /** @throws ParameterException that names what is wrong */
    public static Settings of(String... arguments) {
        Settings settings = new Settings();
        CommandLine line = new CommandLine(settings);
        line.parseArgs(arguments);
        try {
            List<FaultPlan.Fault> unusedPlan = FaultPlan.of(settings.size(0)); // refuses what isn't a kind
            List<ApplicationRow> unusedRows = settings.rows(); // refuses what isn't a row
        } catch (IllegalArgumentException e) {
            throw new ParameterException(line, e.getMessage(), e);
        }
        return settings;
    }

    /** All of them are without RabbitMQ where it isn't installed. */
    public List<ApplicationRow> rows() {
        return rows.equals("all")
                ? Arrays.stream(ApplicationRow.values())
                        .filter(row -> row != ApplicationRow.RABBITMQ || RabbitMqServer.installed() != null)
                        .toList()
                : Arrays.stream(rows.split(",", -1)).map(ApplicationRow::of).toList();
    }

    /** How many passes there are for each row. */
    public int seeds() {
        return seeds;
    }

    /** Of a pass, from 0. */
    public RunSize size(int pass) {
        return new RunSize(messages, faults, kinds.equals("all") ? ALL_KINDS : kinds, seed + pass);
    }

    /** How long to wait for an effect when everything was sent. */
    public Duration bound() {
        return Duration.ofSeconds(boundSeconds);
    }

    /** Of results. */
    public Path directory() {
        return directory.toAbsolutePath();
    }
}
