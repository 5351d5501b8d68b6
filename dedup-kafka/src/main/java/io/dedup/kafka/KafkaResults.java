package io.dedup.kafka;

import io.dedup.ResultCodec;
import java.util.Objects;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/** Codecs for the results of handlers; see {@link KafkaDedupBuilder#reply}. */
public final class KafkaResults {
    private static final String NO_TOPIC = "";

    private KafkaResults() {}

    /**
     * Returns a codec that uses a Kafka serializer and its matching deserializer, such as those of the reply values.
     * Both are called without headers, with an empty topic name and from any thread: they must be thread-safe and must
     * not depend on topic or headers.
     *
     * <p>Don't use a deserializer that instantiates whatever class the bytes name: the bytes come from the store.
     */
    public static <R> ResultCodec<R> serialized(Serializer<R> serializer, Deserializer<? extends R> deserializer) {
        Objects.requireNonNull(serializer, "serializer");
        Objects.requireNonNull(deserializer, "deserializer");
        return new ResultCodec<>() {
            @Override
            public byte[] encode(R result) {
                byte[] bytes = serializer.serialize(NO_TOPIC, result);
                if (bytes == null) {
                    throw new SerializationException("The serializer returned null for a result");
                }
                return bytes;
            }

            @Override
            public R decode(byte[] bytes) {
                R result = deserializer.deserialize(NO_TOPIC, bytes);
                if (result == null) {
                    throw new SerializationException("The deserializer returned null for a stored result");
                }
                return result;
            }
        };
    }
}
