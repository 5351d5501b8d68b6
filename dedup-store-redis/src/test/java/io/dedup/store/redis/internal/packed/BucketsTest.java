package io.dedup.store.redis.internal.packed;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BucketsTest {
    private final Buckets buckets = new Buckets("n", PackedSettings.of(10_000_000));

    @Test
    @DisplayName("a bucket is in the slot of its record's key, whatever braces that has")
    void slot() {
        for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
            assertThat(SlotHash.getSlot(SlotTags.of(slot))).isEqualTo(slot);
        }
        for (String id : new String[] {"order-1", "{a}b", "}{", "{}", "é}"}) {
            byte[] key = bytes("n{}:1:s:" + id);
            assertThat(SlotHash.getSlot(buckets.place(key, new byte[Buckets.FIELD_BYTES], 0)))
                    .isEqualTo(SlotHash.getSlot(key));
        }
    }

    @Test
    @DisplayName("all buckets of a slot are used, and fields differ")
    void spread() {
        Set<String> keys = new HashSet<>();
        Set<String> fields = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            byte[] field = new byte[Buckets.FIELD_BYTES];
            String key = new String(buckets.place(bytes("id-" + i), field, 0), StandardCharsets.US_ASCII);
            keys.add(key.substring(key.indexOf('#')));
            fields.add(Arrays.toString(field));
        }
        assertThat(keys).hasSize(10);
        assertThat(fields).hasSize(1_000);
    }

    @Test
    @DisplayName("settings are read as they were written; another version's are not")
    void settings() {
        PackedSettings settings = PackedSettings.of(2_000_000);
        assertThat(settings.bucketsPerSlot()).isEqualTo(2);
        for (Packing packing : List.of(Packing.READ, Packing.WRITE)) {
            assertThat(PackedSettings.parse(settings.text(packing))).isEqualTo(settings);
        }
        assertThat(PackedSettings.parse("2w,1,1")).isNull();
    }

    @Test
    @DisplayName("a record's place never changes: what is stored must be found")
    void place() {
        byte[] field = new byte[Buckets.FIELD_BYTES];
        byte[] bucket = buckets.place(bytes("n{}:14:billing.orders:order-1"), field, 0);
        assertThat(new String(bucket, StandardCharsets.US_ASCII)).isEqualTo("n{A62}#9");
        assertThat(HexFormat.of().formatHex(field)).isEqualTo("90ec8b9a2212006c00088190");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
