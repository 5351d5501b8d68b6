package io.dedup.testservers.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PortLocksTest {
    /** Of no port. */
    private static final int PLACE = 1_000_000;

    /** What the other process runs: takes a place, says so, and waits for the end of its input. */
    static final class Other {
        private Other() {}

        public static void main(String[] args) throws IOException {
            System.out.write(PortLocks.take(PLACE) ? 'y' : 'n');
            System.out.flush();
            while (System.in.read() >= 0) {
                // until it is closed
            }
        }
    }

    @Test
    @DisplayName("a port that another process has taken isn't given out, until that has ended")
    void otherProcess() throws IOException, InterruptedException {
        Process other = ChildJvm.command(Other.class)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('y');
            assertThat(PortLocks.take(PLACE)).isFalse();
        } finally {
            other.getOutputStream().close();
            assertThat(other.waitFor()).isZero();
        }
        assertThat(PortLocks.take(PLACE)).isTrue();
        assertThat(PortLocks.take(PLACE)).as("its own").isTrue();
    }
}
