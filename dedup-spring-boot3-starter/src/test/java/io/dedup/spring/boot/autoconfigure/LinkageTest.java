package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.http.HttpPaths;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** dedup-http is one jar, compiled with Spring Framework 7; on this class path is 6.2. */
class LinkageTest {
    @Test
    @DisplayName("every method and field that dedup-http uses is there with the same signature in Spring Framework 6.2")
    void springFramework6() {
        JavaClasses module = new ClassFileImporter()
                .importUrl(HttpPaths.class.getProtectionDomain().getCodeSource().getLocation());
        List<String> missing = module.stream()
                .flatMap(each -> each.getAccessesFromSelf().stream())
                .map(JavaAccess::getTarget)
                .filter(target -> !target.getOwner().isArray())
                .filter(target -> target.resolveMember().isEmpty())
                .map(AccessTarget::getFullName)
                .distinct()
                .toList();
        assertThat(module).isNotEmpty();
        assertThat(missing).isEmpty();
    }
}
