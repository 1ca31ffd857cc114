<?php
// Counts what the plugin's own check goes over: php code_steps.php PLUGIN_FOLDER < [["html","<p>"],…]; prints a number for each.
// A step is a statement, or a byte that a function of PHP reads: the plugin's own calls of those lead here, by its namespace.
namespace SiteOps;

define( 'ABSPATH', __DIR__ );
ini_set( 'pcre.jit', '0' );

final class Steps {
	public static $taken = 0;
}

function strpos( $text, $part, $from = 0 ) {
	$at            = \strpos( $text, $part, $from );
	Steps::$taken += ( false === $at ? \strlen( $text ) : $at ) - $from;
	return $at;
}

function strcspn( $text, $signs, $from = 0, $length = null ) {
	$many          = \strcspn( $text, $signs, $from, $length );
	Steps::$taken += $many;
	return $many;
}

function strspn( $text, $signs, $from = 0, $length = null ) {
	$many          = \strspn( $text, $signs, $from, $length );
	Steps::$taken += $many;
	return $many;
}

function substr( $text, $from, $length = null ) {
	$part          = \substr( $text, $from, $length );
	Steps::$taken += \strlen( $part );
	return $part;
}

function strtolower( $text ) {
	Steps::$taken += \strlen( $text );
	return \strtolower( $text );
}

function html_entity_decode( $text, ...$more ) {
	Steps::$taken += \strlen( $text );
	return \html_entity_decode( $text, ...$more );
}

function preg_replace( $pattern, $by, $text ) {
	Steps::$taken += \strlen( $text );
	return bounded( \preg_replace( $pattern, $by, $text ) );
}

function preg_replace_callback( $pattern, $by, $text ) {
	Steps::$taken += \strlen( $text );
	return bounded( \preg_replace_callback( $pattern, $by, $text ) );
}

function preg_match( $pattern, $text, &$found = null, $flags = 0, $from = 0 ) {
	$is            = bounded( \preg_match( $pattern, $text, $found, $flags, $from ) );
	$first         = $found[0] ?? '';
	$end           = \strpos( $text, is_array( $first ) ? $first[0] : $first, $from );
	Steps::$taken += $is ? $end - $from + \strlen( is_array( $first ) ? $first[0] : $first ) : \strlen( $text ) - $from;
	return $is;
}

function preg_match_all( $pattern, $text, &$found = null, $flags = 0, $from = 0 ) {
	Steps::$taken += \strlen( $text ) - $from;
	return bounded( \preg_match_all( $pattern, $text, $found, $flags, $from ) );
}

/** Fails where a pattern went back more often than it may. */
function bounded( $result ) {
	if ( PREG_NO_ERROR !== preg_last_error() && PREG_BAD_UTF8_ERROR !== preg_last_error() ) {
		throw new \RuntimeException( preg_last_error_msg() );
	}
	return $result;
}

register_tick_function( fn() => ++Steps::$taken );
foreach ( array( 'html-scanner', 'code-check' ) as $name ) {
	$source = file_get_contents( $argv[1] . "/includes/class-$name.php" );
	eval( '?>' . \preg_replace( '/^<\?php/', '<?php declare(ticks=1);', $source ) );
}
$counts = array();
foreach ( json_decode( stream_get_contents( STDIN ) ) as list( $kind, $text ) ) {
	Steps::$taken = 0;
	ini_set( 'pcre.backtrack_limit', (string) ( 20 * \strlen( $text ) ) );
	'html' === $kind ? Code_Check::html( $text ) : Code_Check::css( $text );
	$counts[] = Steps::$taken;
}
echo json_encode( $counts );
