<?php
// Judges HTML and CSS with the plugin's own check: php code_check.php PLUGIN_FOLDER < [["html","<p>"],…]; prints the faults.
define( 'ABSPATH', __DIR__ );
require $argv[1] . '/includes/class-html-scanner.php';
require $argv[1] . '/includes/class-code-check.php';
$faults = array();
foreach ( json_decode( stream_get_contents( STDIN ) ) as list( $kind, $text ) ) {
	$faults[] = 'html' === $kind ? SiteOps\Code_Check::html( $text ) : SiteOps\Code_Check::css( $text );
}
echo json_encode( $faults );
