package io.dedup.kafka.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A few kills; {@link CrashMain} does a thousand. */
@Order(1) // takes long
class CrashTest {
    /** One of each of the two processes: a kill costs the start of another one, and more of them is what the nightly run is for. */
    private static final int KILLS = 2;
    /** What {@code LEASED_THREE} promises, {@code LEASED} does, and it is there to be compared with. */
    private static final List<Plan> PLANS = Arrays.stream(Plan.values())
            .filter(plan -> plan != Plan.LEASED_THREE)
            .toList();

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "mariadb"})
    @DisplayName(
            "S12 kill -9 at random moments: in the transactional modes every message takes effect once, to the cent; with named"
                    + " steps, a kill repeats the step that it interrupts, and no other")
    void killed(String name) throws Exception {
        ConsumerStarts starts = ConsumerStarts.create();
        try (SqlDatabase database = Trial.newDatabase(name)) {
            List<CrashRun.Count> counts = new CrashRun(
                            KafkaServers.shared(), Map.of(name, database), PLANS, starts, 40, System.nanoTime())
                    .kill(KILLS);

            System.out.println(name + ": " + counts);
            assertThat(counts).allMatch(CrashRun.Count::keepsPromise);
        }
    }
}
