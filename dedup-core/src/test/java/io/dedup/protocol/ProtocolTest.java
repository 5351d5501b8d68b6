package io.dedup.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Engine, store and broker under random histories: the rules hold, and each mistake is found. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class ProtocolTest {
    private static final int HISTORIES = Integer.getInteger("dedup.test.histories", 2_000);
    /** A mistake that takes more to be found is one that an ordinary run of the build misses. */
    private static final int UNTIL_FOUND = 2_000;

    private List<Node> nodes;

    @BeforeAll
    void start() {
        nodes = IntStream.range(0, 3).mapToObj(Node::new).toList();
    }

    @AfterAll
    void stop() {
        nodes.forEach(Node::close);
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("no history breaks a rule")
    void rules() {
        for (long seed = 0; seed < HISTORIES; seed++) {
            History history = new History(nodes, Bug.NONE, seed);
            String violation = history.run();
            if (violation != null) {
                throw new AssertionError("seed " + seed + ": " + violation + "\n" + history.log());
            }
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.SAME_THREAD)
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    @DisplayName("a planted mistake is found")
    void mistakes(Bug bug) {
        String found = null;
        for (long seed = 0; seed < UNTIL_FOUND && found == null; seed++) {
            found = new History(nodes, bug, seed).run();
        }
        assertThat(found).as("what %s breaks", bug).isNotNull();
    }

    @Test
    @Execution(ExecutionMode.SAME_THREAD)
    @DisplayName("one seed tells one history")
    void reproducible() {
        for (long seed = 0; seed < 300; seed++) {
            History first = new History(nodes, Bug.NONE, seed);
            String violation = first.run();
            History second = new History(nodes, Bug.NONE, seed);
            assertThat(second.run()).isEqualTo(violation);
            assertThat(second.log()).isEqualTo(first.log());
        }
    }
}
