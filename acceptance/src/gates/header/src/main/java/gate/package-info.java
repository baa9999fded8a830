/** A fixture of the gates. */
@NullMarked
package gate;

import org.jspecify.annotations.NullMarked;
