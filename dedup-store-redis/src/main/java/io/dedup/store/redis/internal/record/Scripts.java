package io.dedup.store.redis.internal.record;

import io.dedup.store.redis.internal.packed.Buckets;
import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.script.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * All scripts, in the form that suits a server's version and the namespace.
 *
 * <p>The text of a script is its file, behind what it needs: constants, and either the functions for buckets or {@code
 * no_buckets.lua}. A file is never changed, so that an editor shows what the server runs.
 */
public record Scripts(
        Script claim,
        Script complete,
        Script release,
        Script renew,
        Script keepSteps,
        Script find,
        Script stuck,
        Script forget,
        Script forceDone,
        Script importDone) {
    /**
     * Loads the scripts.
     *
     * @param flags whether the server supports script flags (7.0 and newer). {@code allow-oom} then lets complete,
     *     release and steps run when memory is full. An older server lets a script continue if its first write needs no memory
     * @param packing whether the scripts know buckets
     * @param bucketsPerSlot 0 without buckets. It is part of the scripts' text, so that a store with another number
     *     meets a server without its scripts after a loss of data, and checks the namespace
     */
    public static Scripts load(boolean flags, Packing packing, int bucketsPerSlot) {
        String whenFull = flags ? "#!lua flags=allow-oom\nlocal LIGHT_FIRST = false\n" : "local LIGHT_FIRST = true\n";
        String constants = "local EPOCH, ATTEMPTS = " + DoneValue.EPOCH_MILLIS + ", " + DoneValue.ATTEMPTS + "\n";
        String field = "local FIELD = " + Buckets.FIELD_BYTES + " -- " + bucketsPerSlot + "\n";
        boolean packed = packing.reads();
        String reads = constants + (packed ? field + read("bucket_read.lua") : read("no_buckets.lua"));
        String writes = packed ? reads + read("bucket_write.lua") : reads;
        return new Scripts(
                script(reads, "claim"),
                script(whenFull + writes, "complete"),
                script(whenFull, "release"),
                script("", "renew"),
                script(whenFull, "keep steps"),
                script(reads, "find"),
                script("", "stuck"),
                script(reads, "forget"),
                script(writes, "force done"),
                script(writes, "import done"));
    }

    /**
     * Loads a script.
     *
     * @param prelude text before that of the file
     * @param operation also the name of the file
     */
    private static Script script(String prelude, String operation) {
        return Script.of(operation, prelude + read(operation.replace(' ', '_') + ".lua"));
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
