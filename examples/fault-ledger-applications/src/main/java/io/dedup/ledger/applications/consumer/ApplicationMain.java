package io.dedup.ledger.applications.consumer;

import io.dedup.ledger.applications.plan.ApplicationRow;
import io.dedup.ledger.run.ConsumerProcesses;
import java.io.IOException;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Prints {@link ConsumerProcesses#READY} when its application runs, and ends in an orderly way with its standard input. */
public final class ApplicationMain {
    private static final Logger log = LoggerFactory.getLogger(ApplicationMain.class);

    private ApplicationMain() {}

    /** What all rows have. */
    @EnableAutoConfiguration
    @Import(Handling.class)
    static class Application {}

    /** Arguments: the row, and its properties. */
    public static void main(String[] args) throws IOException {
        try {
            ConfigurableApplicationContext application = new SpringApplicationBuilder(
                            Application.class, Rows.of(ApplicationRow.of(args[0])))
                    .properties(Arrays.copyOfRange(args, 1, args.length))
                    .run();
            System.out.println(ConsumerProcesses.READY);
            System.out.flush();
            while (System.in.read() >= 0) {
                // until the ledger closes our input, or ends
            }
            application.close();
            Runtime.getRuntime().halt(0);
        } catch (RuntimeException e) {
            log.warn("cannot start, and is started again by the ledger", e);
            Runtime.getRuntime().halt(1);
        }
    }
}
