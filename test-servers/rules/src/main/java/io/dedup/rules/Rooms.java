package io.dedup.rules;

import static java.util.stream.Collectors.toCollection;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The main classes of one module, and the rules about how they are divided into packages. Each rule throws an
 * {@link AssertionError} that names what breaks it. A nested class counts as a part of its outermost class, which is a
 * file.
 */
public final class Rooms {
    private static final String PROJECT = "io.dedup";
    private static final int FILES_OF_A_PACKAGE = 22;
    private static final int CLASSES_OF_A_CIRCLE = 8;
    private static final int PARAMETERS_OF_A_CONSTRUCTOR = 8;

    private final JavaClasses classes;

    private Rooms(JavaClasses classes) {
        this.classes = classes;
    }

    /** The classes that were compiled together with this one. */
    public static Rooms of(Class<?> anchor) {
        return read(importer ->
                importer.importUrl(anchor.getProtectionDomain().getCodeSource().getLocation()));
    }

    /** The same, for what a test wants to judge on its own. */
    static Rooms ofPackage(String name) {
        return read(importer -> importer.importPackages(name));
    }

    /** No rule asks of another module's class anything but its name: ArchUnit needn't read all that the classes refer to. */
    private static Rooms read(Function<ClassFileImporter, JavaClasses> classes) {
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new Rooms(classes.apply(new ClassFileImporter()));
        });
    }

    /** Checks all rules of this class and names all that is broken. */
    public void check() {
        List<String> broken = new ArrayList<>();
        for (Runnable rule : List.<Runnable>of(
                this::packagesFormNoCircle,
                this::classesFormNoLargeCircle,
                this::packagesAreSmall,
                this::constructorsAreShort,
                this::internalsOfOthersAreNotUsed,
                this::publicSignaturesShowNoInternals)) {
            try {
                rule.run();
            } catch (AssertionError e) {
                broken.add(e.getMessage());
            }
        }
        if (!broken.isEmpty()) {
            throw new AssertionError(String.join("\n", broken));
        }
    }

    /** No two packages refer to each other, not even through others. */
    public void packagesFormNoCircle() {
        List<Set<String>> circles = Circles.of(references(JavaClass::getPackageName));
        require(circles.isEmpty(), "Packages that refer to each other: " + circles);
    }

    /** At most eight classes refer to each other in a circle. */
    public void classesFormNoLargeCircle() {
        List<Set<String>> large = Circles.of(references(Rooms::file)).stream()
                .filter(circle -> circle.size() > CLASSES_OF_A_CIRCLE)
                .toList();
        require(large.isEmpty(), "More than " + CLASSES_OF_A_CIRCLE + " classes that refer to each other: " + large);
    }

    /** A package has at most 22 files, besides its {@code package-info}. */
    public void packagesAreSmall() {
        Map<String, Set<String>> files = new TreeMap<>();
        for (JavaClass each : classes) {
            if (!each.getSimpleName().equals("package-info")) {
                files.computeIfAbsent(each.getPackageName(), unused -> new TreeSet<>())
                        .add(file(each));
            }
        }
        files.values().removeIf(each -> each.size() <= FILES_OF_A_PACKAGE);
        require(files.isEmpty(), "Packages of more than " + FILES_OF_A_PACKAGE + " files: " + files);
    }

    /**
     * A constructor has at most eight parameters: more of them are values that belong together and have no name yet. A
     * record is such a value, and has as many components as what it stands for, such as the columns of a row.
     */
    public void constructorsAreShort() {
        List<String> crowded = classes.stream()
                .filter(each -> !each.isRecord() && !each.isAnonymousClass())
                .flatMap(each -> each.getConstructors().stream())
                .filter(each -> each.getRawParameterTypes().size() > PARAMETERS_OF_A_CONSTRUCTOR)
                .map(JavaCodeUnit::getFullName)
                .toList();
        require(
                crowded.isEmpty(),
                "Constructors of more than " + PARAMETERS_OF_A_CONSTRUCTOR + " parameters: " + crowded);
    }

    /** A package named {@code internal} is used by its own module only. */
    public void internalsOfOthersAreNotUsed() {
        List<String> uses = classes.stream()
                .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
                .filter(each -> isInternal(each.getTargetClass().getBaseComponentType()))
                .filter(each -> !classes.contain(
                        each.getTargetClass().getBaseComponentType().getName()))
                .map(Dependency::getDescription)
                .toList();
        require(uses.isEmpty(), "Uses of another module's internal classes: " + uses);
    }

    /** What users see shows them nothing of what is internal. */
    public void publicSignaturesShowNoInternals() {
        List<String> shown = classes.stream()
                .filter(each -> !isInternal(each) && isVisible(each))
                .flatMap(each -> each.getCodeUnits().stream())
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC)
                        || each.getModifiers().contains(JavaModifier.PROTECTED))
                .filter(each -> signature(each).anyMatch(Rooms::isInternal))
                .map(JavaCodeUnit::getFullName)
                .toList();
        require(shown.isEmpty(), "Public signatures that show an internal type: " + shown);
    }

    private static boolean isVisible(JavaClass each) {
        return each.getModifiers().contains(JavaModifier.PUBLIC)
                && each.getEnclosingClass().map(Rooms::isVisible).orElse(true);
    }

    private static Stream<JavaClass> signature(JavaCodeUnit unit) {
        return Stream.concat(Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
                .map(JavaClass::getBaseComponentType);
    }

    private static boolean isInternal(JavaClass each) {
        return each.getPackageName().startsWith(PROJECT)
                && List.of(each.getPackageName().split("\\.", -1)).contains("internal");
    }

    private Map<String, Set<String>> references(Function<JavaClass, String> node) {
        Map<String, Set<String>> references = new TreeMap<>();
        for (JavaClass each : classes) {
            Set<String> targets = references.computeIfAbsent(node.apply(each), unused -> new TreeSet<>());
            targets.addAll(each.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(target -> classes.contain(target.getName()))
                    .map(node)
                    .filter(target -> !target.equals(node.apply(each)))
                    .collect(toCollection(TreeSet::new)));
        }
        return references;
    }

    private static String file(JavaClass each) {
        JavaClass outermost = each;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        return outermost.getName();
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
