package io.dedup.store.jdbc.internal.sql;

import io.dedup.DedupKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the request that a returned row belongs to. Not thread-safe. */
public final class KeyIndex {
    private static final int NONE = -1;

    private final KeyFormat format;
    private final List<DedupKey> keys;
    private final Map<String, Integer> firstWithId = new HashMap<>();
    private final int[] nextWithId;

    public KeyIndex(KeyFormat format, List<DedupKey> keys) {
        this.format = format;
        this.keys = keys;
        this.nextWithId = new int[keys.size()];
        Arrays.fill(nextWithId, NONE);
        for (int i = 0; i < keys.size(); i++) {
            Integer other = firstWithId.put(format.idText(keys.get(i)), i);
            nextWithId[i] = other == null ? NONE : other;
        }
    }

    /**
     * The position of the key whose message ID and scope are in two adjacent columns of the row. Reads the scope only
     * if the same message ID was requested in several scopes.
     */
    public int position(ResultSet row, int column) throws SQLException {
        Integer first = firstWithId.get(format.idText(row.getBytes(column)));
        int position = first == null ? NONE : first;
        if (position != NONE && nextWithId[position] != NONE) {
            byte[] scope = row.getBytes(column + 1);
            while (position != NONE && !Arrays.equals(format.scope(keys.get(position)), scope)) {
                position = nextWithId[position];
            }
        }
        if (position == NONE) {
            throw new SQLException("the database returned a key that was not requested");
        }
        return position;
    }

    public DedupKey key(ResultSet row, int column) throws SQLException {
        return keys.get(position(row, column));
    }
}
