package io.dedup.mutants.patch;

import java.nio.file.Path;

/**
 * A test of one of our modules, such as {@code dedup-core io.dedup.CloseTest#claimedTooLate}. A test of a nested class that is
 * inherited, as those of a contract are, is named with the class that inherits it.
 */
public record TestName(String module, String type, String method) {
    /** Reads what {@link #toString} writes. */
    static TestName of(String text) {
        int space = text.indexOf(' ');
        int hash = text.indexOf('#');
        if (space < 0 || hash < space) {
            throw new IllegalArgumentException("Not a module, a class and a method: " + text);
        }
        return new TestName(text.substring(0, space), text.substring(space + 1, hash), text.substring(hash + 1));
    }

    /** As docs name it: the class's simple name and the method. */
    public String shortName() {
        return type.substring(type.lastIndexOf('.') + 1) + "#" + method;
    }

    /** The class and the method, as an argument of the test's JVM. */
    public String selector() {
        return type + "#" + method;
    }

    /** Where its source is, in a checkout. */
    public Path source(Path checkout) {
        return checkout.resolve(module).resolve("src/test/java").resolve(type.replace('.', '/') + ".java");
    }

    @Override
    public String toString() {
        return module + " " + selector();
    }
}
