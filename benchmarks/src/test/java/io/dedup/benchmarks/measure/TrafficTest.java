package io.dedup.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TrafficTest {
    private final Traffic.Source source = new Traffic.Source();

    @Test
    void a_fifth_of_a_block_duplicates_earlier_blocks_and_the_rest_is_new() {
        Traffic traffic = source.next(100);
        Set<String> known = new HashSet<>(traffic.beforeFirstBlock());
        for (int i = 0; i < 150; i++) {
            Traffic.Block block = traffic.next();
            assertThat(block.ids()).hasSize(100).doesNotHaveDuplicates();
            assertThat(block.fresh()).hasSize(80).doesNotContainAnyElementsOf(known);
            assertThat(IntStream.range(0, 100)
                            .filter(j -> known.contains(block.ids().get(j))))
                    .containsExactlyElementsOf(IntStream.range(0, 100)
                            .filter(block::isDuplicate)
                            .boxed()
                            .toList());
            known.addAll(block.fresh());
        }
    }

    @Test
    void two_threads_have_no_message_in_common() {
        Traffic one = source.next(500);
        Traffic other = source.next(500);
        assertThat(one.next().ids()).doesNotContainAnyElementsOf(other.next().ids());
    }

    @Test
    void ids_have_their_length_and_never_meet() {
        List<String> ids = LongStream.range(0, 20_000).mapToObj(Ids::text).toList();
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.length() == Ids.LENGTH);
    }
}
