<?php
// Readies one copy before it is served:
// php prepare.php SITE_FOLDER '{"plugins":["folder"],"plain_permalinks":false,"host":"127.0.0.1","path":"/"}'
$asked    = json_decode( $argv[2], true );
$_SERVER += array( 'HTTP_HOST' => $asked['host'], 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => $asked['path'] );
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_set_current_user( 1 );
foreach ( $asked['plugins'] as $folder ) {
	$files = array_keys( get_plugins( '/' . $folder ) );
	if ( ! $files ) {
		fwrite( STDERR, "the folder $folder holds no file with a plugin header" );
		exit( 1 );
	}
	foreach ( $files as $file ) {
		$result = activate_plugin( "$folder/$file" );
		if ( is_wp_error( $result ) ) {
			fwrite( STDERR, "$folder/$file: " . $result->get_error_message() );
			exit( 1 );
		}
	}
}
if ( $asked['plain_permalinks'] ) {
	$GLOBALS['wp_rewrite']->set_permalink_structure( '' );
}
flush_rewrite_rules( false );
