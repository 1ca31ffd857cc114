<?php
// Router of PHP's built-in server: files that exist are served as they are, everything else is WordPress.
$root = $_SERVER['DOCUMENT_ROOT'];
$path = rawurldecode( (string) parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
if ( preg_match( '#(^|/)\.#', $path ) ) {
	http_response_code( 404 );
	return true;
}
// A site of a network has no folder of its own: what follows its name is WordPress's.
$below = preg_replace( '#^/[_0-9a-zA-Z-]+(?=/(?:wp-content|wp-admin|wp-includes)/|/[^/]+\.php$)#', '', $path );
if ( $below !== $path && ! is_file( $root . $path ) && is_file( $root . $below ) ) {
	if ( ! preg_match( '#\.php$#', $below ) ) {
		$types = array( 'css' => 'text/css', 'js' => 'text/javascript', 'png' => 'image/png', 'svg' => 'image/svg+xml' );
		$type  = $types[ pathinfo( $below, PATHINFO_EXTENSION ) ] ?? mime_content_type( $root . $below );
		header( "Content-Type: $type" );
		readfile( $root . $below );
		return true;
	}
	$_SERVER['SCRIPT_NAME']     = $below;
	$_SERVER['PHP_SELF']        = $below;
	$_SERVER['SCRIPT_FILENAME'] = $root . $below;
	chdir( dirname( $root . $below ) );
	require $root . $below;
	return true;
}
$index = rtrim( $root . $path, '/' ) . '/index.php';
if ( is_file( $root . $path ) || ( '/' !== $path && is_dir( $root . $path ) && is_file( $index ) ) ) {
	return false;
}
$_SERVER['SCRIPT_NAME']     = '/index.php';
$_SERVER['PHP_SELF']        = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $root . '/index.php';
chdir( $root );
require $root . '/index.php';
