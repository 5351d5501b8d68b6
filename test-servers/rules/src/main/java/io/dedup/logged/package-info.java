/** What a test logs, apart from what the tests beside it log. */
@NullMarked
package io.dedup.logged;

import org.jspecify.annotations.NullMarked;
