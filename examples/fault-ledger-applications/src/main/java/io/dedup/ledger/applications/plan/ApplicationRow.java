package io.dedup.ledger.applications.plan;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.plan.FaultKind;
import io.dedup.ledger.plan.RunSize;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A row of the applications' ledger: what calls a handler in mode LEASED, with its records in PostgreSQL. */
public enum ApplicationRow implements Contender {
    /** A broker that drops a message after 10 deliveries. */
    ARTEMIS("JMS on Artemis"),
    /** The client drops a message that fails once, so no handler fails here. */
    AMQP("RabbitMQ's client on Qpid"),
    /** A quorum queue drops a message after 20 deliveries that didn't end well. Needs a RabbitMQ that is installed. */
    RABBITMQ("RabbitMQ"),
    PARALLEL_CONSUMER("Confluent's parallel consumer"),
    STREAM("Spring Cloud Stream, Kafka binder"),
    /** The client sends a request again until its answer is good. */
    HTTP("HTTP on Tomcat");

    private final String title;

    ApplicationRow(String title) {
        this.title = title;
    }

    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public boolean isOurs() {
        return true;
    }

    @Override
    public boolean isExact() {
        return false;
    }

    /** No fault wipes the store. */
    @Override
    public boolean forgets() {
        return false;
    }

    /** Without the faults that this row's own client doesn't survive. */
    public RunSize size(RunSize asked) {
        String kinds = Arrays.stream(asked.kinds().split("\\+", -1))
                .filter(kind -> this != AMQP || !kind.equals(FaultKind.FAIL.id()))
                .collect(Collectors.joining("+"));
        return new RunSize(asked.messages(), asked.faults(), kinds, asked.seed());
    }

    /** @throws IllegalArgumentException when there is none */
    public static ApplicationRow of(String id) {
        List<ApplicationRow> all = List.of(values());
        return all.stream()
                .filter(row -> row.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row " + id + "; there are "
                        + all.stream().map(ApplicationRow::id).toList()));
    }
}
