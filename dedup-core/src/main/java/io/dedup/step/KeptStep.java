package io.dedup.step;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A step that a message's record contains.
 *
 * @param keptAt by the clock of the process that ran it
 * @param kind what is known of its result
 * @param size of the result, in bytes; -1 if there is none, or it could not be encoded
 * @param result as it is stored, possibly encrypted; null unless the kind is {@link Kind#RESULT}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record KeptStep(String name, Instant keptAt, Kind kind, int size, byte @Nullable [] result) {
    /** What is known of a step's result. */
    public enum Kind {
        /** It has none. */
        NONE(0),
        /** It is null. */
        NULL(1),
        /** It is kept. */
        RESULT(2),
        /** It was too large, or could not be encoded. */
        LEFT_OUT(3);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** As stores keep it. */
        int number() {
            return number;
        }

        /** @throws IllegalArgumentException if there is no such kind */
        static Kind of(int number) {
            return switch (number) {
                case 0 -> NONE;
                case 1 -> NULL;
                case 2 -> RESULT;
                case 3 -> LEFT_OUT;
                default ->
                    throw new IllegalArgumentException("the kept steps have a result of the unknown kind " + number);
            };
        }
    }

    // Not compact: javac would leave "@Nullable" of an array parameter out of the class file.
    public KeptStep(String name, Instant keptAt, Kind kind, int size, byte @Nullable [] result) {
        this.name = Objects.requireNonNull(name, "name");
        this.keptAt = Objects.requireNonNull(keptAt, "keptAt");
        this.kind = Objects.requireNonNull(kind, "kind");
        this.size = size;
        this.result = result;
    }

    /** A step without a result. */
    public static KeptStep without(String name, Instant keptAt, Kind kind, int size) {
        return new KeptStep(name, keptAt, kind, size, null);
    }

    /** A step with its result. */
    public static KeptStep of(String name, Instant keptAt, byte[] result) {
        return new KeptStep(name, keptAt, Kind.RESULT, result.length, result);
    }
}
