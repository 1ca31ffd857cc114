<?php
// Searches a text as the plugin does: php find_steps.php PLUGIN_FOLDER < [["part",…],"text"]; prints how PHP's patterns ended by
// what may stand between two parts, "Backtrack limit exhausted" where they went back more than so often for each byte.
define( 'ABSPATH', __DIR__ );
const MOST = 40;
ini_set( 'pcre.jit', '0' ); // which counts nothing
require $argv[1] . '/includes/class-find-texts.php';
list( $parts, $text ) = json_decode( stream_get_contents( STDIN ) );
ini_set( 'pcre.backtrack_limit', (string) ( MOST * strlen( $text ) ) );
$pattern = new ReflectionProperty( SiteOps\Find_Texts::class, 'pattern' );
$pattern->setAccessible( true );
$ended = array();
foreach ( array_keys( SiteOps\Find_Texts::BETWEEN ) as $between ) {
	preg_match_all( $pattern->getValue( new SiteOps\Find_Texts( $parts, $between ) ), $text );
	$ended[ $between ] = preg_last_error_msg();
}
echo json_encode( $ended );
