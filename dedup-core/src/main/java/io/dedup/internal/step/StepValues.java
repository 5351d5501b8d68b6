package io.dedup.internal.step;

import io.dedup.ResultCodec;
import io.dedup.step.StepCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the codec for the class of a step's result: as text for simple values, else the application's. Thread-safe. */
final class StepValues {
    private static final Map<Class<?>, Function<String, Object>> TEXTS = Map.ofEntries(
            Map.entry(String.class, text -> text),
            Map.entry(Boolean.class, Boolean::valueOf),
            Map.entry(boolean.class, Boolean::valueOf),
            Map.entry(Integer.class, Integer::valueOf),
            Map.entry(int.class, Integer::valueOf),
            Map.entry(Long.class, Long::valueOf),
            Map.entry(long.class, Long::valueOf),
            Map.entry(Double.class, Double::valueOf),
            Map.entry(double.class, Double::valueOf),
            Map.entry(BigInteger.class, BigInteger::new),
            Map.entry(BigDecimal.class, BigDecimal::new),
            Map.entry(UUID.class, UUID::fromString),
            Map.entry(Instant.class, Instant::parse));

    private final @Nullable StepCodec codec;

    StepValues(@Nullable StepCodec codec) {
        this.codec = codec;
    }

    /** @throws IllegalArgumentException if there is none */
    @SuppressWarnings("unchecked") // each class has its own codec
    <T> ResultCodec<T> codecOf(String step, Class<T> type) {
        Function<String, Object> parser = TEXTS.get(type);
        if (parser != null) {
            return text(parser);
        }
        if (type == byte[].class) {
            return (ResultCodec<T>) ResultCodec.bytes();
        }
        if (type.isEnum()) {
            return text(name -> Enum.valueOf(type.asSubclass(Enum.class), name));
        }
        if (CompletionStage.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException("step " + step + " returns a " + type.getName()
                    + ", which says nothing of how its work ends: wait for it in the step, and return its value");
        }
        if (codec == null) {
            throw new IllegalArgumentException("step " + step + " returns a " + type.getName()
                    + ", for which there is no codec: set stepCodec(...) of the deduplicator's builder, or pass a ResultCodec to"
                    + " the step");
        }
        return ofApplication(codec, type);
    }

    private static <T> ResultCodec<T> text(Function<String, Object> parser) {
        return new ResultCodec<>() {
            @Override
            public byte[] encode(T result) {
                String text = result instanceof Enum<?> constant ? constant.name() : result.toString();
                return text.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            @SuppressWarnings("unchecked")
            public T decode(byte[] bytes) {
                return (T) parser.apply(new String(bytes, StandardCharsets.UTF_8));
            }
        };
    }

    private static <T> ResultCodec<T> ofApplication(StepCodec codec, Class<T> type) {
        return new ResultCodec<>() {
            @Override
            public byte[] encode(T result) {
                return codec.encode(result);
            }

            @Override
            public T decode(byte[] bytes) {
                return codec.decode(bytes, type);
            }
        };
    }
}
