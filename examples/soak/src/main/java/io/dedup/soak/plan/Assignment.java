package io.dedup.soak.plan;

import java.nio.file.Path;
import java.util.List;

/**
 * The arguments of a consumer process.
 *
 * @param redis its URI
 * @param effects where the {@link EffectFile}s are
 */
public record Assignment(
        String bootstrap,
        String redis,
        String jdbcUrl,
        String user,
        String password,
        Path effects,
        Leak leak,
        long seed) {

    /** From what {@link #arguments()} has said. */
    public static Assignment of(String... arguments) {
        return new Assignment(
                arguments[0],
                arguments[1],
                arguments[2],
                arguments[3],
                arguments[4],
                Path.of(arguments[5]),
                Leak.valueOf(arguments[6]),
                Long.parseLong(arguments[7]));
    }

    public List<String> arguments() {
        return List.of(bootstrap, redis, jdbcUrl, user, password, effects.toString(), leak.name(), Long.toString(seed));
    }
}
