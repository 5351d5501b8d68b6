package io.dedup.mutants.patch;

import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.Patch;
import com.github.difflib.patch.PatchFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The part of a patch that changes one file. */
public final class FilePatch {
    private static final String BEFORE = "--- a/";
    private static final String AFTER = "+++ b/";

    private final String file;
    private final Patch<String> patch;

    private FilePatch(String file, Patch<String> patch) {
        this.file = file;
        this.patch = patch;
    }

    /** The parts of a unified diff, whose files have the prefixes {@code a/} and {@code b/}. */
    static List<FilePatch> allOf(List<String> diff) {
        List<FilePatch> all = new ArrayList<>();
        int begin = 0;
        while (begin < diff.size()) {
            int end = begin + 1;
            while (end < diff.size() && !diff.get(end).startsWith(BEFORE)) {
                end++;
            }
            all.add(of(diff.subList(begin, end)));
            begin = end;
        }
        return all;
    }

    private static FilePatch of(List<String> diff) {
        String file = diff.get(0).substring(BEFORE.length());
        if (diff.size() < 2 || !diff.get(1).equals(AFTER + file)) {
            throw new IllegalArgumentException(
                    "A mutant changes files, and neither adds, moves nor removes any: " + file);
        }
        return new FilePatch(file, UnifiedDiffUtils.parseUnifiedDiff(diff));
    }

    /** The path of the file in a checkout. */
    public String file() {
        return file;
    }

    /** The module whose file it is. */
    public String module() {
        int end = file.indexOf("/src/main/");
        if (end < 0) {
            throw new IllegalArgumentException("A mutant changes what users run: " + file);
        }
        return file.substring(0, end);
    }

    /**
     * The lines of the file with the change. Lines may have moved since the patch was written; each line of its context has to be as
     * it was.
     *
     * @throws PatchFailedException when the file has changed there
     */
    public List<String> applied(Path checkout) throws IOException, PatchFailedException {
        List<String> lines = Files.readAllLines(checkout.resolve(file));
        List<AbstractDelta<String>> changes = patch.getDeltas();
        // From the last to the first: the library looks for a change behind where the one before it ended in the old
        // lines.
        for (int i = changes.size() - 1; i >= 0; i--) {
            Patch<String> change = new Patch<>();
            change.addDelta(changes.get(i));
            lines = change.applyFuzzy(lines, 0);
        }
        return lines;
    }
}
