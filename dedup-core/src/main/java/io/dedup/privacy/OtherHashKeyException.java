package io.dedup.privacy;

import io.dedup.text.Printable;
import java.io.Serial;

/** The IDs of a consumer are hashed with another key in its store. */
public final class OtherHashKeyException extends IllegalArgumentException {
    @Serial
    private static final long serialVersionUID = 1;

    /** Creates an exception for a consumer. */
    public OtherHashKeyException(String consumer) {
        super("idHashing has another key than the one with which the store's IDs of consumer " + Printable.of(consumer)
                + " are hashed: all windows would be forgotten, and redelivered messages handled again. Set the former"
                + " key. To change it, use an empty store or another consumer name, after all windows have ended");
    }
}
