package io.dedup.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoomsTest {
    @Test
    void ownClassesObey() {
        assertThatCode(() -> Rooms.of(Rooms.class).check()).doesNotThrowAnyException();
    }

    /** ArchUnit's own packages break nearly every rule: a house of more than a thousand classes that grew. */
    @Test
    void othersDoNot() {
        Rooms rooms = Rooms.of(com.tngtech.archunit.core.domain.JavaClass.class);
        assertThatThrownBy(rooms::packagesFormNoCircle).hasMessageStartingWith("Packages that refer to each other: [[");
        assertThatThrownBy(rooms::classesFormNoLargeCircle).hasMessageStartingWith("More than 8 classes");
        assertThatThrownBy(rooms::packagesAreSmall)
                .hasMessageStartingWith("Packages of more than 22 files: {com.tngtech.archunit");
        assertThatThrownBy(rooms::check).hasMessageContaining("Packages that").hasMessageContaining("More than 8");
    }

    @Test
    void anotherModulesInternals() {
        Rooms door = Rooms.ofPackage("io.dedup.rules.fixture.door");
        assertThatThrownBy(door::internalsOfOthersAreNotUsed)
                .hasMessageStartingWith("Uses of another module's internal classes: [")
                .hasMessageContaining("Hidden");
        assertThatThrownBy(door::publicSignaturesShowNoInternals).hasMessageContaining("Door.hidden()");
    }

    @Test
    void longConstructors() {
        assertThatThrownBy(Rooms.ofPackage("io.dedup.rules.fixture.door")::constructorsAreShort)
                .hasMessageStartingWith("Constructors of more than 8 parameters: [")
                .hasMessageContaining("Crowd.<init>")
                .hasMessageNotContaining("Columns.<init>");
    }

    @Test
    void circles() {
        assertThat(Circles.of(Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("a", "d"), "d", Set.of())))
                .containsExactly(Set.of("a", "b", "c"));
        assertThat(Circles.of(Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of())))
                .isEmpty();
    }
}
