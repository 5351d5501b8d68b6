package io.dedup.http.internal;

import io.dedup.Fingerprint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes the fingerprint of a request: method, path, query and content, each with its length. Not thread-safe. */
public final class RequestDigest {
    private static final int BYTES = 16;

    private final MessageDigest digest;

    public RequestDigest(HttpCall call) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        add(call.method());
        add(call.path());
        add(call.query());
    }

    /** Adds text; null differs from empty. */
    public void add(@Nullable String text) {
        if (text == null) {
            length(-1);
        } else {
            add(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    public void add(byte[] bytes) {
        length(bytes.length);
        digest.update(bytes);
    }

    /** Adds the parameters of a form, in an order of its own. */
    public void add(Map<String, ? extends List<String>> parameters) {
        new TreeMap<>(parameters).forEach((name, values) -> {
            add(name);
            length(values.size());
            values.forEach(this::add);
        });
    }

    private void length(int length) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
    }

    /** The fingerprint of all that was added. Call it once. */
    public Fingerprint fingerprint() {
        return new Fingerprint(HexFormat.of().formatHex(digest.digest(), 0, BYTES));
    }
}
