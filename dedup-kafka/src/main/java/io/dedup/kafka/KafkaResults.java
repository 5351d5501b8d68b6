package io.dedup.kafka;

import io.dedup.ResultCodec;
import java.util.Objects;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/** Codecs for what a handler returns, see {@link KafkaDedupBuilder#reply}. */
public final class KafkaResults {
    private static final String NO_TOPIC = "";

    private KafkaResults() {}

    /**
     * With a Kafka serializer and the deserializer that belongs to it, such as those of the replies' values. Both are called
     * without headers and with an empty topic name, from any thread: they must be thread-safe, and must not need either.
     *
     * <p>A deserializer that makes objects of whatever class its bytes name is as dangerous here as anywhere: what a store
     * holds isn't trusted code.
     */
    public static <R> ResultCodec<R> serialized(Serializer<R> serializer, Deserializer<? extends R> deserializer) {
        Objects.requireNonNull(serializer, "serializer");
        Objects.requireNonNull(deserializer, "deserializer");
        return new ResultCodec<>() {
            @Override
            public byte[] encode(R result) {
                byte[] bytes = serializer.serialize(NO_TOPIC, result);
                if (bytes == null) {
                    throw new SerializationException("the serializer gave nothing for a result");
                }
                return bytes;
            }

            @Override
            public R decode(byte[] bytes) {
                R result = deserializer.deserialize(NO_TOPIC, bytes);
                if (result == null) {
                    throw new SerializationException("the deserializer gave nothing for a result");
                }
                return result;
            }
        };
    }
}
