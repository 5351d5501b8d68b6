package io.dedup.store.redis.internal.record;

import io.dedup.store.redis.internal.packed.Buckets;
import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.script.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** All scripts, in the form that suits a server's version and the namespace. */
public record Scripts(
        Script claim,
        Script complete,
        Script release,
        Script renew,
        Script find,
        Script stuck,
        Script forget,
        Script forceDone,
        Script importDone) {
    private static final Pattern PLAIN = Pattern.compile("(?m)^.* -- PLAIN\\r?\\n");
    private static final String PACKED = "-- PACKED ";

    /**
     * Loads the scripts.
     *
     * @param flags whether the server supports script flags (7.0 and newer). {@code allow-oom} then lets complete and
     *     release run when memory is full. An older server lets a script continue if its first write needs no memory
     * @param packed whether the scripts know buckets
     * @param bucketsPerSlot 0 without buckets. It is part of the scripts' text, so that a store with another number
     *     meets a server without its scripts after a loss of data, and checks the namespace
     */
    public static Scripts load(boolean flags, Packing packed, int bucketsPerSlot) {
        String constants = "local EPOCH, ATTEMPTS = " + DoneValue.EPOCH_MILLIS + ", " + DoneValue.ATTEMPTS + "\n";
        String whenFull = flags ? "#!lua flags=allow-oom\nlocal LIGHT_FIRST = false\n" : "local LIGHT_FIRST = true\n";
        String read = constants + "local FIELD = " + Buckets.FIELD_BYTES + " -- " + bucketsPerSlot + "\n"
                + read("bucket_read.lua");
        String write = read + read("bucket_write.lua");
        return new Scripts(
                packed.reads() ? packed("claim", read) : script("claim", ""),
                packed.reads() ? packed("complete", whenFull + write) : script("complete", whenFull + constants),
                script("release", whenFull),
                script("renew", ""),
                packed.reads() ? packed("find", read) : script("find", ""),
                script("stuck", ""),
                packed.reads() ? packed("forget", read) : script("forget", ""),
                packed.reads() ? packed("force done", write) : script("force done", constants),
                packed.reads() ? packed("import done", write) : script("import done", constants));
    }

    /**
     * Loads the form of a script that knows buckets: without the lines that end with {@code -- PLAIN}, and with those
     * that begin with {@code -- PACKED}, so that each rule stands in one place.
     */
    private static Script packed(String operation, String prelude) {
        String source = read(resource(operation));
        return Script.of(
                operation, prelude + PLAIN.matcher(source).replaceAll("").replace(PACKED, ""));
    }

    /**
     * Loads a script.
     *
     * @param operation also the name of the resource
     * @param prelude text before that of the resource
     */
    private static Script script(String operation, String prelude) {
        return Script.of(operation, prelude + read(resource(operation)));
    }

    private static String resource(String operation) {
        return operation.replace(' ', '_') + ".lua";
    }

    private static String read(String resource) {
        try (InputStream in = Scripts.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
