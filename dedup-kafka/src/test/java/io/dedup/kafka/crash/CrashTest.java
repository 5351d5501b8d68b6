package io.dedup.kafka.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A few kills; {@link CrashMain} does hundreds. */
class CrashTest {
    private static final int KILLS = 5;

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "mariadb"})
    @DisplayName(
            "S12 kill -9 at random moments: in the transactional modes every message takes effect once, to the cent")
    void killed(String name) throws Exception {
        try (SqlDatabase database = CrashMain.database(name)) {
            List<CrashRun.Count> counts = new CrashRun(database, System.nanoTime()).kill(KILLS);

            System.out.println(name + ": " + counts);
            assertThat(counts).filteredOn(count -> count.plan().isExact()).allMatch(CrashRun.Count::isExact);
            // LEASED may run a message again, whose consumer died between its effect and DONE; it never loses one.
            assertThat(counts).allMatch(count -> count.missing() == 0);
        }
    }
}
