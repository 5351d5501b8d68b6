package io.dedup.store.redis.internal.record;

import io.dedup.store.redis.internal.script.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** All scripts, in the form that suits a server's version. */
public record Scripts(
        Script claim,
        Script complete,
        Script release,
        Script renew,
        Script find,
        Script stuck,
        Script forget,
        Script forceDone) {
    /**
     * @param flags whether the server knows script flags (7.0 and newer): then {@code allow-oom} lets completes and
     *     releases through when memory is full; an older server lets a script go on whose first write needs none
     */
    public static Scripts load(boolean flags) {
        String constants = "local EPOCH, ATTEMPTS = " + DoneValue.EPOCH_MILLIS + ", " + DoneValue.ATTEMPTS + "\n";
        String whenFull = flags ? "#!lua flags=allow-oom\nlocal LIGHT_FIRST = false\n" : "local LIGHT_FIRST = true\n";
        return new Scripts(
                script("claim", ""),
                script("complete", whenFull + constants),
                script("release", whenFull),
                script("renew", ""),
                script("find", ""),
                script("stuck", ""),
                script("forget", ""),
                script("force done", constants));
    }

    /**
     * @param operation the name of the resource, too
     * @param prelude what comes before the resource's text
     */
    private static Script script(String operation, String prelude) {
        return Script.of(operation, prelude + read(operation.replace(' ', '_') + ".lua"));
    }

    private static String read(String resource) {
        try (InputStream in = Scripts.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("missing from the class path: " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
