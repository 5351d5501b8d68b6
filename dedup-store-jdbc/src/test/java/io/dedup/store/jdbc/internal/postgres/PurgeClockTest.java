package io.dedup.store.jdbc.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.jdbc.internal.sql.Micros;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The guessed hour in which a record is due for the purge. */
class PurgeClockTest {
    private static final long HOUR = TimeUnit.HOURS.toMicros(1);
    private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

    private final PurgeClock clock = new PurgeClock();

    @Test
    @DisplayName("goes by the server's time, however wrong this machine's is, and never comes before the record's end")
    void serversTime() {
        clock.seen(1_000 * HOUR + MINUTE);

        assertThat(clock.due(1)).isEqualTo(1_001);
        assertThat(clock.due(HOUR - 2 * MINUTE)).isEqualTo(1_001);
        assertThat(clock.due(HOUR)).isEqualTo(1_002);
        assertThat(clock.due(36_500 * 24 * HOUR)).isEqualTo(1_001 + 36_500 * 24);
    }

    @Test
    @DisplayName("without a look at the server it goes by this machine's time")
    void unseen() {
        long now = TimeUnit.MILLISECONDS.toHours(System.currentTimeMillis());

        assertThat((long) clock.due(2 * HOUR)).isBetween(now + 3, now + 4);
    }

    @Test
    @DisplayName("what has no end is never due")
    void never() {
        assertThat(clock.due(Micros.NEVER)).isEqualTo(PurgeClock.NEVER);
    }
}
