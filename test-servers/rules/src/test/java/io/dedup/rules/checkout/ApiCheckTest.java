package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.config.Options;
import japicmp.filter.Filters;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javassist.ClassPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which classes the comparison of APIs leaves out, by japicmp's own filters and the rules in the POM. */
class ApiCheckTest {
    private static final Pattern EXCLUDES = Pattern.compile("<excludes>(.*?)</excludes>", Pattern.DOTALL);
    private static final Pattern EXCLUDE = Pattern.compile("<exclude>(.*?)</exclude>");
    private static final Pattern PACKAGE = Pattern.compile("^package (.*);", Pattern.MULTILINE);

    @Test
    @DisplayName("each module's internal packages are left out, and no other package")
    void internals() {
        Set<String> internal = new TreeSet<>();
        Set<String> excluded = new TreeSet<>();
        Set<String> modules = new TreeSet<>();
        Filters filters = filters();
        for (Path source : Checkout.files(".java")) {
            if (Checkout.name(source).startsWith("dedup-") && source.toString().contains("/src/main/")) {
                String name = packageOf(source);
                if (List.of(name.split("\\.", -1)).contains("internal")) {
                    internal.add(name);
                    modules.add(Checkout.name(source).split("/", 2)[0]);
                }
                if (!filters.includeClass(ClassPool.getDefault().makeClass(name + ".Any"))) {
                    excluded.add(name);
                }
            }
        }
        assertThat(excluded).isEqualTo(internal);
        assertThat(modules).hasSizeGreaterThan(7);
    }

    private static Filters filters() {
        Options options = Options.newDefault();
        String pom = Checkout.text("parents/module/pom.xml");
        String plugin = pom.substring(pom.indexOf("<artifactId>japicmp-maven-plugin</artifactId>"));
        var excludes = EXCLUDES.matcher(plugin);
        assertThat(excludes.find()).isTrue();
        EXCLUDE.matcher(excludes.group(1))
                .results()
                .forEach(each -> options.addExcludeFromArgument(Optional.of(each.group(1)), false));
        return JarArchiveComparatorOptions.of(options).getFilters();
    }

    private static String packageOf(Path source) {
        var found = PACKAGE.matcher(Checkout.text(source));
        assertThat(found.find()).as(Checkout.name(source)).isTrue();
        return found.group(1);
    }
}
