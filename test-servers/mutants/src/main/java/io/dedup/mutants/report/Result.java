package io.dedup.mutants.report;

import io.dedup.mutants.patch.Mutant;
import io.dedup.mutants.run.Judge.Judgment;
import io.dedup.mutants.run.Verdict;

/**
 * The result of a mutant in one commit.
 *
 * @param patch a hash of the mutant's text: a changed mutant needs a new result
 * @param why what its test said
 */
public record Result(String mutant, String patch, String commit, Verdict verdict, long seconds, String why) {
    private static final int WORDS = 300;

    /** Of a mutant that was just judged. */
    public static Result of(Mutant mutant, String commit, Judgment judgment) {
        String why = judgment.why().replaceAll("\\s+", " ");
        return new Result(
                mutant.name(),
                hash(mutant),
                commit,
                judgment.verdict(),
                judgment.took().toSeconds(),
                why.substring(0, Math.min(WORDS, why.length())));
    }

    /** Whether it is about this mutant, as it is now. */
    public boolean isOf(Mutant other, String inCommit) {
        return mutant.equals(other.name()) && patch.equals(hash(other)) && commit.equals(inCommit);
    }

    private static String hash(Mutant mutant) {
        return Integer.toHexString(mutant.text().hashCode());
    }
}
